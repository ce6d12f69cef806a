package net

import (
	"cmp"
	"fmt"
	"go/version"
	"runtime"

	"tengen/internal/kernel"
)

// Arithmetic names what affects an evaluator's rounding: the Go version, and vector kernels, with the same bits on all
// processors, or plain Go's. Equal names, weights and positions give equal bits.
func Arithmetic() string {
	kernels := "vector"
	if kernel.Name() == "go" {
		kernels = "go"
	}
	return fmt.Sprintf("%.24s/%s", cmp.Or(version.Lang(runtime.Version()), runtime.Version()), kernels)
}
