package net

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
)

// A network of an earlier version that learned without the last move still says the same of positions that differ in it
// alone. Others say something else.
func TestHiddenLastMove(t *testing.T) {
	g := connect4.Standard()
	same := []connect4.State{g.Start().Play(3).Play(2).Play(4), g.Start().Play(4).Play(2).Play(3)}
	for _, hidden := range []bool{false, true} {
		m := tinyModel()
		m.Weights = randomWeights(architecture{cfg: toyConfig, shape: ShapeOf(g)}, 31)
		ev := NewEvaluator[connect4.State](earlier(t, m, hidden).Weights, 2)
		priors, values := [][]float32{make([]float32, 7), make([]float32, 7)}, make([]float32, 2)
		if err := ev.Evaluate(same, priors, values); err != nil {
			t.Fatal(err)
		}
		if equal := values[0] == values[1] && slices.Equal(priors[0], priors[1]); equal != hidden {
			t.Errorf("hidden %v: values %v, priors %v", hidden, values, priors)
		}
	}
}

// No other weight changes, and none if the planes are not a placement game's.
func TestHiddenLastMoveAlone(t *testing.T) {
	for planes := game.PlacementPlanes - 1; planes <= game.PlacementPlanes+1; planes++ {
		m := tinyModel()
		shape := toyShape
		shape.Planes = planes
		m.Weights = randomWeights(architecture{cfg: toyConfig, shape: shape}, 33)
		want := m.Weights.Clone()
		if filters := want.Params[0].Data; planes == game.PlacementPlanes {
			for i := range filters {
				if i/9%planes == game.LastPlane {
					filters[i] = 0
				}
			}
		}
		if got := earlier(t, m, true); !sameParams(got.Weights, want) {
			t.Errorf("%d planes: other weights", planes)
		}
	}
}

// earlier writes the model to a file of an earlier version and returns what modelOf reads there.
func earlier(t *testing.T, m *Model, hidesLastMove bool) *Model {
	t.Helper()
	f := m.file()
	f.Metadata[netKey] = strings.Replace(f.Metadata[netKey], "{", fmt.Sprintf(`{"hide_last_move":%v,`, hidesLastMove), 1)
	read, err := modelOf(f)
	if err != nil {
		t.Fatal(err)
	}
	return read
}
