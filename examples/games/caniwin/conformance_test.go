package caniwin_test

import (
	"testing"

	"games/caniwin"
	"tengen/game/gametest"
)

func TestConformance(t *testing.T) {
	for _, numbers := range []string{"1,1", "1,300", "2,3", "2,4", "9,20", "10,11", "10,40", "10,55", "10,56", "20,210", "20,300"} {
		g := parse(t, numbers)
		t.Run(numbers, func(t *testing.T) { gametest.Run(t, g) })
	}
}

func parse(tb testing.TB, numbers string) *caniwin.Game {
	tb.Helper()
	g, err := caniwin.Parse(numbers)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}
