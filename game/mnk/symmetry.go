package mnk

import "tengen/game"

// symmetries are the reflections and rotations that map the board onto itself, the identity first. Each is made of up
// to three reflections: columns left to right, rows top to bottom and, on a square board, rows with columns.
func symmetries(rows, columns int) []game.Symmetry {
	n := 4
	if rows == columns {
		n = 8
	}
	all := make([]game.Symmetry, n)
	for i := range all {
		mirrorColumns, mirrorRows, transpose := i&1 != 0, i&2 != 0, i&4 != 0
		for r := range rows {
			for c := range columns {
				row, column := r, c
				if mirrorColumns {
					column = columns - 1 - column
				}
				if mirrorRows {
					row = rows - 1 - row
				}
				if transpose {
					row, column = column, row
				}
				image := row*columns + column
				all[i].Cells = append(all[i].Cells, int32(image))
				all[i].Actions = append(all[i].Actions, game.Action(image))
			}
		}
	}
	return all
}
