package game

import "fmt"

// Size is the size of a board. Cells are counted row by row from the top left of the drawn board.
type Size struct{ Rows, Columns int }

// Cells is the number of cells.
func (s Size) Cells() int { return s.Rows * s.Columns }

// String writes the size as "7 columns, 6 rows".
func (s Size) String() string { return fmt.Sprintf("%d columns, %d rows", s.Columns, s.Rows) }

// Diagram is a position that can be drawn: each cell of the board is empty or held by one of the sides.
type Diagram interface {
	// Cell is the side that holds a cell, from 0 to Size.Cells()-1; Nobody where it is empty.
	Cell(cell int) Side

	// Target is the cell of the legal move a: a person clicks on it to make the move. No two legal moves share one. A
	// move that no cell stands for, such as a pass, has -1.
	Target(a Action) int

	// LastCell is the Target that the last move had, -1 if there is none.
	LastCell() int
}

// Inscribed is a Diagram with texts on its cells, such as the numbers of a game that takes them away.
type Inscribed interface {
	Diagram

	// Text is what is written on a cell, held or not: a few letters, "" where nothing is.
	Text(cell int) string

	// Tally says in a few words what the cells do not show: "7 of 11". It may be empty.
	Tally() string
}

// Placement is a position of a placement game, such as Connect Four or gomoku:
//
//   - each move puts one stone of the side to move on its Target, an empty cell, and stones stay as they are;
//   - the game is over when a side has won, which only the side that has just moved can have, or when no move is left;
//   - Ply is the number of stones, MaxPlies at most the number of cells;
//   - Encode writes PlacementPlanes planes.
//
// Solvers make use of it, for cut-offs and for folding symmetric positions.
type Placement interface {
	Diagram

	// StonesStay does nothing. A type declares by it that it keeps the contract.
	StonesStay()
}

// PlacementPlanes is the number of planes of a placement game's positions: the stones of the side to move, the stones
// of its opponent, the last stone alone (empty where the last move is None), and all ones when the first player is to
// move.
const PlacementPlanes = 4

// LastPlane is the one of those that has the last stone.
const LastPlane = 2

// Alignment is a position of a placement game won by lines: the first side to hold all cells of a line wins, unless the
// cells at its ends spoil it, and there is no other way to win. Every empty cell can be played on, unless another has
// to be taken first.
//
// Proofs by forced moves use it: see package game/forced.
type Alignment interface {
	Placement

	// Lines are the lines of the board. All positions of a Game return the same pointer. Callers must not change the
	// set.
	Lines() *LineSet

	// Stones overwrites first and second [(H*W+63)/64] with the sets of cells that the sides hold: cell i is bit i%64
	// of word i/64.
	Stones(first, second []uint64)
}

// LineSet is what an Alignment's positions have in common.
type LineSet struct {
	Cells   [][]int16 // of each line: from 1 to 127, none of them twice
	Below   []int16   // [H*W] the cell that must be taken before a stone can land on this one, -1: none
	Actions []Action  // [H*W] the move by which a stone lands on this cell

	// Ends are the two cells that extend each line, -1 off the board; nil where they do not matter, and always where
	// cells lie on others. They spoil a line for a side permanently, since stones stay.
	Ends   [][2]int16
	Exact  bool // a line is spoilt by a stone of its own side at an end
	Closed bool // a line is spoilt by stones of the other side at both ends; the edge of the board is no stone
}

// Spoilt reports whether the stones at a line's ends spoil it for a side. line is its number.
func (l *LineSet) Spoilt(line int, side Side, held func(cell int) Side) bool {
	if l.Ends == nil {
		return false
	}
	stones := map[Side]int{}
	for _, end := range l.Ends[line] {
		if end >= 0 {
			stones[held(int(end))]++
		}
	}
	return l.Exact && stones[side] > 0 || l.Closed && stones[side.Opponent()] == 2
}

// Setup is the Game of a placement game whose positions can be set up without the moves that led there.
type Setup[S State[S]] interface {
	// FromStones returns the position in which cells [H*W] are held by these sides. last is the move that led there,
	// None if that is not known. The position is the one that play reaches by any moves to these stones with this last
	// move; without a last move, it differs in what Encode and Last say of it until the next. Its ply is the number of
	// stones. A position that the opponent of toMove has won, or that has no empty cell, is over.
	//
	// The error says which stone, count or line cannot be.
	FromStones(cells []Side, toMove Side, last Action) (S, error)
}

// CheckStones returns an error unless cells fit a board of the size and toMove is a side. Every Setup.FromStones calls
// it.
func CheckStones(size Size, cells []Side, toMove Side) error {
	if len(cells) != size.Cells() {
		return fmt.Errorf("stones for %d cells; the board of %v has %d", len(cells), size, size.Cells())
	}
	for i, side := range cells {
		if side < Second || side > First {
			return fmt.Errorf("cell %d holds %d; want %d, %d or %d", i, int8(side), Second, Nobody, First)
		}
	}
	if toMove != First && toMove != Second {
		return fmt.Errorf("the side to move is %d; want %d or %d", int8(toMove), First, Second)
	}
	return nil
}
