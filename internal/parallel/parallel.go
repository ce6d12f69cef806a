// Package parallel divides loops among the processor's cores.
package parallel

import "runtime"

// For calls f(i) for each i from 0 to n-1, in any order and concurrently, and waits until all calls have returned.
func For(n int, f func(i int)) {
	p := NewPool(max(1, min(n, runtime.GOMAXPROCS(0))))
	defer p.Close()
	p.Each(n, func(i, _ int) { f(i) })
}
