package bench

import (
	"testing"

	"tengen/engine"
	"tengen/run/runtest"
)

func TestMain(m *testing.M) {
	engine.Register(unsolved)
	runtest.Main(m)
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
