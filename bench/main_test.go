package bench

import (
	"testing"

	"tengen/engine"
	"tengen/internal/errtest"
	"tengen/run/runtest"
)

var noError = errtest.NoError

func TestMain(m *testing.M) {
	engine.Register(unsolved)
	runtest.Main(m)
}
