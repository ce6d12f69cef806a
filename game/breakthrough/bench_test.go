package breakthrough_test

import (
	"testing"

	"tengen/game/breakthrough"
	"tengen/game/gametest"
)

func BenchmarkStandard(b *testing.B) { gametest.Bench(b, breakthrough.Standard()) }
