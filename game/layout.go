package game

// Layout says how moves are numbered by cells: move cell*Planes + plane is one of Planes kinds of moves at the cell,
// such as a step in one direction. Moves without a cell, such as a pass, have the last numbers. Cells and directions
// refer to the encoded planes. Some numbers may never be legal. The zero Layout says that moves are not numbered by
// cells.
//
// AlphaZero's policy for chess has this form: 73 planes of 8x8 cells (Silver et al. 2018, Supplement,
// "Representation").
type Layout struct {
	Planes int // kinds of moves at each cell
	Named  int // moves without a cell
}

// Actions returns the number of moves on a board of so many cells.
func (l Layout) Actions(cells int) int { return cells*l.Planes + l.Named }

// Spatial is a Game whose moves have a Layout, the same on boards of all sizes.
type Spatial interface {
	Layout() Layout
}
