package othello_test

import (
	"testing"

	"tengen/game/gametest"
)

func TestConformance(t *testing.T) {
	for _, side := range []string{"4", "6", "8", "10", "12"} {
		g := parse(t, side)
		t.Run(side, func(t *testing.T) { gametest.Run(t, g) })
	}
}
