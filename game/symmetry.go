package game

import "fmt"

// Symmetry maps a board onto itself such that the rules are unchanged. Cells and moves are mapped together: a policy
// must be turned with the position it belongs to.
type Symmetry struct {
	Cells   []int32  // [H*W]: the cell i goes to Cells[i]
	Actions []Action // [Actions]: the move a goes to Actions[a]
}

// Apply writes the image of each plane of src [planes, H*W] to dst. The slices must not overlap.
func (s Symmetry) Apply(dst, src []float32) {
	cells := len(s.Cells)
	if len(dst) != len(src) || len(src)%cells != 0 {
		panic(fmt.Sprintf("game: symmetry of %d cells applied to %d values into %d", cells, len(src), len(dst)))
	}
	for p := 0; p < len(src); p += cells {
		to, from := dst[p:p+cells], src[p:p+cells]
		for i, j := range s.Cells {
			to[j] = from[i]
		}
	}
}

// ApplyPolicy writes the image of the policy src [Actions] to dst. The slices must not overlap.
func (s Symmetry) ApplyPolicy(dst, src []float32) {
	if len(dst) != len(s.Actions) || len(src) != len(s.Actions) {
		panic(fmt.Sprintf("game: symmetry of %d moves applied to %d values into %d", len(s.Actions), len(src), len(dst)))
	}
	for a, b := range s.Actions {
		dst[b] = src[a]
	}
}

// Symmetries are the reflections and rotations that map a board of the size onto itself: 8 of a square, 4 of a
// rectangle. The first is the identity, the second the reflection of the columns. The move a is the one that names the
// cell a.
func (s Size) Symmetries() []Symmetry {
	n := 4
	if s.Rows == s.Columns {
		n = 8
	}
	all := make([]Symmetry, n)
	for i := range all {
		mirrorColumns, mirrorRows, transpose := i&1 != 0, i&2 != 0, i&4 != 0
		for cell := range s.Cells() {
			row, column := cell/s.Columns, cell%s.Columns
			if mirrorColumns {
				column = s.Columns - 1 - column
			}
			if mirrorRows {
				row = s.Rows - 1 - row
			}
			if transpose {
				row, column = column, row
			}
			image := row*s.Columns + column
			all[i].Cells = append(all[i].Cells, int32(image))
			all[i].Actions = append(all[i].Actions, Action(image))
		}
	}
	return all
}
