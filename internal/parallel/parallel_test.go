package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestFor checks that every number comes once, for fewer and for more numbers than cores.
func TestFor(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100} {
		calls := make([]atomic.Int64, n)
		For(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if calls[i].Load() != 1 {
				t.Errorf("%d of %d came %d times", i, n, calls[i].Load())
			}
		}
	}
}

// TestForRunsAtOnce lets all calls wait for each other.
func TestForRunsAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	var all sync.WaitGroup
	all.Add(3)
	For(3, func(int) {
		all.Done()
		all.Wait()
	})
}
