// Package eventloop lets long computations share a browser's only thread with the browser's events.
package eventloop

import (
	"syscall/js"
	"time"
)

const interval = 50 * time.Millisecond

var last = time.Now() // of all goroutines, which have one thread

// Yield lets the browser's events happen, such as a request to stop, and lets timers and other goroutines run, if none
// could for 50 ms. Long computations call it more often than that.
//
// It waits for a timer of the browser. runtime.Gosched never returns to the browser. time.Sleep does not either if
// another goroutine runs until the sleep has ended.
func Yield() {
	if time.Since(last) < interval {
		return
	}
	happened := make(chan struct{})
	event := js.FuncOf(func(js.Value, []js.Value) any {
		close(happened)
		return nil
	})
	defer event.Release()
	js.Global().Call("setTimeout", event)
	<-happened
	last = time.Now()
}
