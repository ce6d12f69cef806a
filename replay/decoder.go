package replay

import (
	"encoding/binary"
	"fmt"
	"math"
)

// decoder reads numbers from rest. After the first error, which it keeps, everything reads as 0.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	d.rest = nil
}

// take returns the next n bytes, or nil at an error.
func (d *decoder) take(n int) []byte {
	if n > len(d.rest) {
		d.fail("ends too soon")
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// uvarint reads a number of at most limit in its shortest form.
func (d *decoder) uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(d.rest)
	switch {
	case n <= 0:
		d.fail("ends inside a number")
		return 0
	case n > 1 && d.rest[n-1] == 0:
		d.fail("a number is longer than it needs to be")
		return 0
	case v > limit:
		d.fail("%d where at most %d is allowed", v, limit)
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// length reads the number of things to come, each of which takes at least size bytes: so a false length cannot make the
// caller allocate much more than the input's own size.
func (d *decoder) length(size int) int {
	return int(d.uvarint(uint64(len(d.rest) / size)))
}

func (d *decoder) float32() float32 {
	if b := d.take(4); b != nil {
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
	return 0
}
