// Package fulltest selects how much of a long test runs: a sample by default, and everything with
//
//	go test -tags full ./...
package fulltest

import "testing"

// Pick returns sample by default and all in the full run.
func Pick[T any](sample, all T) T {
	if On {
		return all
	}
	return sample
}

// Only skips a test except in the full run.
func Only(t testing.TB) {
	t.Helper()
	if !On {
		t.Skip("takes long: go test -tags full runs it")
	}
}
