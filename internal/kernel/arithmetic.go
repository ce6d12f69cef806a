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

// Arithmetic names all that decides how a program rounds here with one of Names: the version of Go, whose compiler may join a
// product and a sum, the architecture, the instruction set, and a digest of what Go's own functions really answer, some of which
// ask the processor for more than is promised. Where two names are equal, equal inputs give equal bits.
func Arithmetic(set string) string {
	return fmt.Sprintf("%s/%s/%s/%08x", compiler(), runtime.GOARCH, set, rounding())
}

// SetOf is the one of Names that rounds by the arithmetic of that name; ok is false if nothing here does.
func SetOf(arithmetic string) (set string, ok bool) {
	for _, set := range Names() {
		if Arithmetic(set) == arithmetic {
			return set, true
		}
	}
	return "", false
}

// compiler is the version of Go without the number of its repairs, go1.26 for go1.26.3, or what a version that was not released is
// called.
func compiler() string {
	return fmt.Sprintf("%.24s", cmp.Or(version.Lang(runtime.Version()), runtime.Version()))
}

// rounding is a checksum of results that depend on how the last bit is rounded.
var rounding = sync.OnceValue(func() uint32 {
	var results []byte
	add := func(x float64) { results = binary.LittleEndian.AppendUint64(results, math.Float64bits(x)) }
	x := 0.5
	for range 2000 {
		x = 3.9 * x * (1 - x) // logistic map: in (0, 1), and all over it
		add(math.Exp(-8 * x))
		add(math.Log(x))
		add(math.Pow(x, 1.3))
		add(math.Tanh(x))
		add(x*x + 0.3)
	}
	return crc32.ChecksumIEEE(results)
})
