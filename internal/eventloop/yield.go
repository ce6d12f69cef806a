//go:build !js

// Package eventloop lets long computations share a browser's only thread with the browser's events.
package eventloop

// Yield lets the browser's events happen, such as a request to stop, and lets timers and other goroutines run, if none
// could for 50 ms. Elsewhere it does nothing. Long computations call it more often than that.
func Yield() {}
