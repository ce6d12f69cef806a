// Package eventloop lets long computations share a browser's only thread with the browser's events.
package eventloop

import "time"

const interval = 50 * time.Millisecond

var last = time.Now() // of all goroutines, which have one thread

// Yield lets the browser's events happen, such as a request to stop, and lets timers and other goroutines run, if none
// could for 50 ms. Long computations call it more often than that.
func Yield() {
	if time.Since(last) < interval {
		return
	}
	time.Sleep(time.Microsecond) // runtime.Gosched would not return to the browser
	last = time.Now()
}
