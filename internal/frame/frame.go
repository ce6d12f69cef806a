// Package frame provides the parts of tengen's binary formats: checksums, and a reader for damaged or hostile input.
// Integers are unsigned varints of encoding/binary in their shortest form, so equal content has equal bytes.
package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// SumSize is the number of bytes that Seal appends.
const SumSize = crc32.Size

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Seal appends the CRC-32C of b, little-endian.
func Seal(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)) }

// Open returns the bytes before the checksum, or an error if it does not match.
func Open(data []byte) ([]byte, error) {
	n := len(data) - SumSize
	if n < 0 {
		return nil, fmt.Errorf("it has %d bytes, fewer than its checksum", len(data))
	}
	if crc32.Checksum(data[:n], castagnoli) != binary.LittleEndian.Uint32(data[n:]) {
		return nil, errors.New("its checksum does not match")
	}
	return data[:n], nil
}

// Reader reads from the front of a byte slice. It keeps its first error and then drops the remaining input and returns
// only zeros. It is not safe for concurrent use.
type Reader struct {
	rest []byte
	err  error
}

// NewReader returns a reader of b without copying it.
func NewReader(b []byte) *Reader { return &Reader{rest: b} }

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Len returns the number of unread bytes.
func (r *Reader) Len() int { return len(r.rest) }

// Fail sets the reader's error, unless it already has one.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.rest = nil
}

// End fails if any bytes are unread, and returns the first error.
func (r *Reader) End() error {
	if n := len(r.rest); n > 0 {
		r.Fail("it has %d bytes too many", n)
	}
	return r.err
}

// Bytes returns the next n bytes, which share the input's memory. It returns nil after an error.
func (r *Reader) Bytes(n int) []byte {
	if n > len(r.rest) {
		r.Fail("it ends too soon")
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// Byte returns the next byte.
func (r *Reader) Byte() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// Uvarint reads an integer. One above limit is an error.
func (r *Reader) Uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	switch {
	case n == 0:
		r.Fail("it ends inside a number")
	case n < 0:
		r.Fail("it has a number of more than 64 bits")
	case n > 1 && r.rest[n-1] == 0:
		r.Fail("a number is longer than it needs to be")
	case v > limit:
		r.Fail("it has %d where at most %d is allowed", v, limit)
	default:
		r.rest = r.rest[n:]
		return v
	}
	return 0
}

// Length reads how many items of at least size bytes each follow. A number that the remaining input cannot hold is an
// error, so a false one cannot cause a large allocation.
func (r *Reader) Length(size int) int { return int(r.Uvarint(uint64(len(r.rest) / size))) }

// Float32 reads a little-endian float32.
func (r *Reader) Float32() float32 {
	if b := r.Bytes(4); b != nil {
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
	return 0
}

// AppendFloat32 appends x for Float32.
func AppendFloat32(b []byte, x float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
}
