package bench

import (
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tengen/engine"
)

func TestMain(m *testing.M) {
	engine.Register(unsolved)
	goleak.VerifyTestMain(m)
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantError checks for a part of an error, and whether it is an InputError.
func wantError(t testing.TB, err error, part string, input bool) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) || errors.As(err, new(engine.InputError)) != input {
		t.Errorf("error %v, want one that says %q, an InputError: %v", err, part, input)
	}
}
