package game

import "fmt"

// Symmetry maps a board onto itself without changing the rules. A policy must be transformed with its position.
type Symmetry struct {
	Cells   []int32  // [H*W] cell i goes to Cells[i]
	Actions []Action // [Actions] move a goes to Actions[a]
}

// Apply writes the image of each plane of src [planes, H*W] to dst, which must not overlap it.
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

// Imaged is a Game whose symmetries may map the starting position to another one, with the same rules. In Othello, half
// of them exchange the colours of the four discs.
type Imaged[S State[S]] interface {
	// Image returns the image of the starting position under symmetry i. Only its planes, moves and results matter.
	Image(i int) S
}

// StartImage returns the image of the starting position under symmetry i, which is itself unless g is Imaged.
func StartImage[S State[S]](g Game[S], i int) S {
	if imaged, ok := g.(Imaged[S]); ok {
		return imaged.Image(i)
	}
	return g.Start()
}

// Symmetries returns the 8 symmetries of a square board or the 4 of a rectangle, where move a names cell a. The first
// two are the identity and the reflection of the columns.
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
