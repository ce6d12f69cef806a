package kernel

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"go/version"
	"hash/crc32"
	"math"
	"runtime"
	"sync"
)

// Arithmetic names everything that affects rounding with one of Names: the Go version, whose compiler may fuse products
// and sums, the architecture, the instruction set, and a digest of package math's results, which depend on the
// processor. Equal names and inputs give equal bits.
func Arithmetic(set string) string {
	return fmt.Sprintf("%s/%s/%s/%08x", compiler(), runtime.GOARCH, set, rounding())
}

// SetOf returns the one of Names with the given arithmetic, if any.
func SetOf(arithmetic string) (set string, ok bool) {
	for _, set := range Names() {
		if Arithmetic(set) == arithmetic {
			return set, true
		}
	}
	return "", false
}

// compiler returns the Go version without its patch number.
func compiler() string {
	return fmt.Sprintf("%.24s", cmp.Or(version.Lang(runtime.Version()), runtime.Version()))
}

// rounding returns a checksum of results that depend on the last bit.
var rounding = sync.OnceValue(func() uint32 {
	var results []byte
	add := func(x float64) { results = binary.LittleEndian.AppendUint64(results, math.Float64bits(x)) }
	x := 0.5
	for range 2000 {
		x = 3.9 * x * (1 - x) // chaotic in (0, 1)
		add(math.Exp(-8 * x))
		add(math.Log(x))
		add(math.Pow(x, 1.3))
		add(math.Tanh(x))
		add(x*x + 0.3)
	}
	return crc32.ChecksumIEEE(results)
})
