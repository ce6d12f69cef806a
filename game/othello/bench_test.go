package othello_test

import (
	"testing"

	"tengen/game/gametest"
	"tengen/game/othello"
)

var parse = gametest.Parser(othello.Parse)

func BenchmarkStandard(b *testing.B) { gametest.Bench(b, parse(b, "")) }

func BenchmarkLarge(b *testing.B) { gametest.Bench(b, parse(b, "12")) }
