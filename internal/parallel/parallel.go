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
