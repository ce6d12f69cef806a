package breakthrough_test

import (
	"testing"

	"tengen/game/gametest"
)

func BenchmarkStandard(b *testing.B) { gametest.Bench(b, parse(b, "")) }
