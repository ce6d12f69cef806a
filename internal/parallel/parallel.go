// Package parallel divides loops among the processor's cores.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls f(i) for each i from 0 to n-1, in any order and concurrently, and waits until all calls have returned.
func For(n int, f func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(i)
		}
	}
	var others sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		others.Go(work)
	}
	defer others.Wait()
	work()
}

// SerialShare returns the s of Amdahl's law, speedup = 1 / (s + (1-s)/cores), in [0, 1]; 0 for one core.
func SerialShare(cores int, speedup float64) float64 {
	if cores == 1 {
		return 0
	}
	n := float64(cores)
	return min(max(0, (n/speedup-1)/(n-1)), 1)
}
