package game_test

import (
	"testing"

	"tengen/game"
)

func TestResults(t *testing.T) {
	for z, want := range map[float32]game.Result{-1: game.Loss, 0: game.Draw, 1: game.Win} {
		r := game.ResultOf(z)
		if r != want || r.Value() != float64(z) || r.Opposite() != game.ResultOf(-z) {
			t.Errorf("the outcome %v is a %v of value %v, the opposite of a %v", z, r, r.Value(), r.Opposite())
		}
	}
	if r := game.Unknown; r.Opposite() != r || r.Value() != 0 || r.String() != "unknown" || game.Win.String() != "win" {
		t.Errorf("nothing known is a %v of value %v, the opposite of a %v", r, r.Value(), r.Opposite())
	}
}
