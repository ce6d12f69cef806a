package kernel_test

import (
	"testing"

	"tengen/internal/kernel"
)

// eachSet runs a test once for every instruction set of this processor.
func eachSet(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	defer kernel.Use(kernel.Name())
	for _, name := range kernel.Names() {
		kernel.Use(name)
		t.Run(name, test)
	}
}

func TestUseSelects(t *testing.T) {
	names := kernel.Names()
	if last := names[len(names)-1]; last != "go" {
		t.Errorf("the last of %v should be go, which runs everywhere", names)
	}
	if kernel.Name() != names[0] {
		t.Errorf("%s is in use at the start; want the fastest of %v", kernel.Name(), names)
	}
	defer kernel.Use(kernel.Name())
	for _, name := range names {
		kernel.Use(name)
		if kernel.Name() != name {
			t.Errorf("Use(%q) selected %q", name, kernel.Name())
		}
	}
}

func TestPad(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 16, 15: 16, 16: 16, 17: 32, 64: 64, 65: 80} {
		if got := kernel.Pad(n); got != want {
			t.Errorf("Pad(%d) = %d, want %d", n, got, want)
		}
	}
}
