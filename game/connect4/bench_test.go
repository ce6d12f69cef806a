package connect4_test

import (
	"testing"

	"tengen/game/connect4"
	"tengen/game/gametest"
)

func BenchmarkStandard(b *testing.B) { gametest.Bench(b, connect4.Standard()) }
