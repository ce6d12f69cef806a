package kernel_test

import (
	"slices"
	"strings"
	"testing"

	"tengen/internal/kernel"
)

// The names of this machine's instruction sets differ, select them again, and fit into a game record. Those that
// TestBitsOnEveryArchitecture finds equal have one name.
func TestArithmetic(t *testing.T) {
	var seen []string
	for _, set := range kernel.Names() {
		name := kernel.Arithmetic(set)
		if got, ok := kernel.SetOf(name); !ok || got != set {
			t.Errorf("%s is that of %q, %v; want %s", name, got, ok, set)
		}
		if slices.Contains(seen, name) || len(name) > 64 {
			t.Errorf("the name %s is not its own, or longer than 64 characters", name)
		}
		seen = append(seen, name)
		if set, ok := kernel.SetOf(name[:strings.LastIndex(name, "/")] + "/abacus"); ok {
			t.Errorf("an unknown set is taken for %s", set)
		}
	}
	if kernel.Arithmetic("neon") != kernel.Arithmetic("avx2") || kernel.Arithmetic("avx512") == kernel.Arithmetic("avx2") {
		t.Error("NEON has AVX2's bits, AVX-512 has not")
	}
}
