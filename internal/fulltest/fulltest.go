// Package fulltest says how much of a long test runs: a sample in the ordinary run, all of it with
//
//	go test -tags full ./...
package fulltest

import "testing"

// Pick returns sample in the ordinary run and all in the full one.
func Pick[T any](sample, all T) T {
	if On {
		return all
	}
	return sample
}

// Only skips a test that has no useful sample, unless the run is the full one.
func Only(t testing.TB) {
	t.Helper()
	if !On {
		t.Skip("takes long: go test -tags full runs it")
	}
}
