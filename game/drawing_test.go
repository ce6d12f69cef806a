package game_test

import (
	"testing"

	"tengen/game"
)

// Where lines join points, other cells are blank.
func TestDrawingOfPoints(t *testing.T) {
	const want = `
 .  . (X)
 .     .
 O  .  .
`
	d := game.Drawing{
		Size: game.Size{Rows: 3, Columns: 3}, Cells: []game.Side{0, 0, 1, 0, 0, 0, -1, 0, 0}, Last: 2,
		Joins: game.Joins{{0, 1}, {2, 5}, {8, 7}, {6, 3}},
	}
	if got := "\n" + d.String(); got != want {
		t.Errorf("%s\nwant%s", got, want)
	}
}
