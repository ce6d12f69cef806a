package kernel_test

import (
	"slices"
	"strings"
	"testing"

	"tengen/internal/kernel"
)

// The names of this machine's instruction sets differ, select them again, and fit into a game record.
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
		other := strings.Replace(name, "/"+set+"/", "/abacus/", 1)
		if set, ok := kernel.SetOf(other); ok {
			t.Errorf("%s is taken for that of %s", other, set)
		}
	}
}
