// Package errtest checks errors and panics in tests.
package errtest

import "strings"

// TB is what the checks need of a test, which testing.TB and rapid.TB have.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// NoError ends the test with the error, if there is one.
func NoError(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Want fails the test unless there is an error whose text contains part.
func Want(t TB, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want one that says %q", err, part)
	}
}

// Panics fails the test unless f panics.
func Panics(t TB, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if recover() == nil {
			t.Errorf("no panic")
		}
	}()
	f()
}
