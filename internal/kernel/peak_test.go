package kernel_test

import (
	"testing"

	"tengen/internal/kernel"
)

// TestPeakCountsOperations: two for each float of twelve registers, n times.
func TestPeakCountsOperations(t *testing.T) {
	floats := map[string]float64{"avx512": 16, "avx2": 8, "neon": 8, "go": 1}
	eachSet(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 1000} {
			if got, want := kernel.Peak(n), 2*12*floats[kernel.Name()]*float64(n); got != want {
				t.Errorf("Peak(%d) counts %v operations, want %v", n, got, want)
			}
		}
	})
}
