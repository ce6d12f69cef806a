package mnk_test

import (
	"testing"

	"tengen/game/gametest"
)

func BenchmarkMNK(b *testing.B) {
	for _, numbers := range []string{"6,6,4", "15,15,5"} {
		g := parse(b, numbers)
		b.Run(numbers, func(b *testing.B) { gametest.Bench(b, g) })
	}
}
