package predictwinner_test

import (
	"testing"

	"games/predictwinner"
	"tengen/game/gametest"
)

func TestConformance(t *testing.T) {
	for _, numbers := range []string{"0", "7", "4,4", "1,5,2", "1,5,233,7", "3,9,1,2", "0,0,0,0,0", "1,2,3,4,5,6,7,8,9,10", "10000000,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,10000000"} {
		g := parse(t, numbers)
		t.Run(numbers, func(t *testing.T) { gametest.Run(t, g) })
	}
}

func parse(tb testing.TB, numbers string) *predictwinner.Game {
	tb.Helper()
	g, err := predictwinner.Parse(numbers)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}
