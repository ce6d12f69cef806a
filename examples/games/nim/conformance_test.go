package nim_test

import (
	"testing"

	"games/nim"
	"tengen/game/gametest"
)

func TestConformance(t *testing.T) {
	for _, piles := range []string{"1", "12", "1,1", "2,2,2", "3,2,3,2,3", "1,3,5,7", "1,3,5,7,misere", "1,2,3,misere", "12,1,12", "1,1,1,1,1,1,1,1", "21,max3", "5,3,5,max2,misere"} {
		g := parse(t, piles)
		t.Run(piles, func(t *testing.T) { gametest.Run(t, g) })
	}
}

func parse(tb testing.TB, piles string) *nim.Game {
	tb.Helper()
	g, err := nim.Parse(piles)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}
