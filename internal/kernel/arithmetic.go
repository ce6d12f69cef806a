package kernel

import (
	"cmp"
	"fmt"
	"go/version"
	"runtime"
)

// Arithmetic names everything that affects rounding with one of Names: the Go version and the set. NEON, which has
// AVX2's bits, has its name. Equal names and inputs give equal bits on every processor.
func Arithmetic(set string) string {
	if set == "neon" {
		set = "avx2"
	}
	return compiler() + "/" + set
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
