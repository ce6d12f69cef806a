package bench

import (
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
