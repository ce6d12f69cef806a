package game

import (
	"fmt"
	"slices"
	"strconv"
)

// Size is a board size. Cells are numbered row by row from the top left of the drawn board.
type Size struct{ Rows, Columns int }

// Cells returns the number of cells.
func (s Size) Cells() int { return s.Rows * s.Columns }

// Step returns the cell that lies so many rows below a cell and columns to its right, or -1 off the board.
func (s Size) Step(cell, rows, columns int) int {
	row, column := cell/s.Columns+rows, cell%s.Columns+columns
	if row < 0 || row >= s.Rows || column < 0 || column >= s.Columns {
		return -1
	}
	return row*s.Columns + column
}

// Labels returns letters for up to 26 columns, and numbers, from the bottom, for the rows.
func (s Size) Labels() (columns, rows []string) {
	for c := range s.Columns {
		columns = append(columns, string(rune('a'+c)))
	}
	for r := s.Rows; r > 0; r-- {
		rows = append(rows, strconv.Itoa(r))
	}
	return columns, rows
}

// CellName returns a cell's name by Labels, such as "h8".
func (s Size) CellName(cell int) string {
	return string(rune('a'+cell%s.Columns)) + strconv.Itoa(s.Rows-cell/s.Columns)
}

// String returns the size in the form "7 columns, 6 rows".
func (s Size) String() string { return fmt.Sprintf("%d columns, %d rows", s.Columns, s.Rows) }

// Diagram is a position that can be drawn.
type Diagram interface {
	// Cell returns the side that holds a cell, from 0 to Size.Cells()-1, or Nobody.
	Cell(cell int) Side

	// Target returns where the legal move a goes. Legal moves have different Targets.
	Target(a Action) Target
}

// Joined is a Game whose pieces stand on points that lines join, as in Nine Men's Morris, not on squares.
type Joined interface {
	// Joins returns the board's lines. Callers must not modify them.
	Joins() Joins
}

// Joins are straight lines between cells. A cell at the end of a line is a point. The others are none: they are not
// drawn, nothing stands there, and no move begins or ends there. Without lines, all cells are points.
type Joins [][2]int

// JoinsOf returns the lines of g's board, nil if it has squares.
func JoinsOf[S State[S]](g Game[S]) Joins {
	if j, ok := g.(Joined); ok {
		return j.Joins()
	}
	return nil
}

// Point reports whether a cell is a point.
func (j Joins) Point(cell int) bool {
	return len(j) == 0 || slices.ContainsFunc(j, func(ends [2]int) bool { return ends[0] == cell || ends[1] == cell })
}

// Target is where a move goes, for those who draw it or click it. A turn of several steps is one move, with a Word for
// the last step, or a move for each step, with forced passes of the other side between them, which people need not
// play (see Pass). For a step that moves no piece, such as a shot, From is the piece that acts, or Onto(cell) lets one
// click play it.
type Target struct {
	From int    // the cell that a piece leaves, or -1
	To   int    // the cell where a stone or piece arrives, or -1
	Word string // a choice that is no cell, such as "pass" or a piece's promotion; else ""
}

// Onto returns the Target of a new stone on a cell.
func Onto(cell int) Target { return Target{From: -1, To: cell} }

// Inscribed is a Diagram with text on its cells, such as numbers or the kinds of pieces. Pages write it on the stone of
// a cell that a side holds, and on a free cell as it is. Terminals write letters on a held cell in place of the stone:
// in capitals for the first player, in small letters for the second. Other signs there are left out.
type Inscribed interface {
	Diagram

	// Text returns a cell's few letters, or "".
	Text(cell int) string
}

// Tallied is a Diagram with a summary of what cells do not show.
type Tallied interface {
	// Tally returns the summary, such as "7 of 11", or "".
	Tally() string
}

// Placement is a position of a placement game, such as Connect Four or gomoku:
//
//   - Each move puts one stone of the side to move on an empty cell, its Target, and stones stay.
//   - The game ends when the side that has just moved wins, or when no move is left.
//   - Ply is the number of stones, and MaxPlies is at most the number of cells.
//   - Encode writes PlacementPlanes planes.
type Placement interface {
	Diagram

	// StonesStay does nothing. A type implements it to declare the contract.
	StonesStay()
}

// PlacementPlanes is the number of planes of a placement game's position: the stones of the side to move, its
// opponent's, the last stone (all zeros if unknown), and all ones if the first player is to move.
const PlacementPlanes = 4

// Alignment is a position of a placement game that only lines win: the first side to hold every cell of a line wins,
// unless stones at its ends spoil it. An empty cell is playable once the cell below it, if any, is filled.
type Alignment interface {
	Placement

	// Lines returns the board's lines, the same pointer for all positions of a Game. Callers must not modify them.
	Lines() *LineSet

	// Stones overwrites first and second [(H*W+63)/64] with each side's cells: cell i is bit i%64 of word i/64.
	Stones(first, second []uint64)
}

// LineSet describes the lines of a board.
type LineSet struct {
	Cells   [][]int16 // [lines] 1 to 127 distinct cells each
	Below   []int16   // [H*W] the cell that must be filled first, or -1
	Actions []Action  // [H*W] the move onto the cell

	// Ends holds the cells that extend each line, -1 off the board. It is nil if the ends do not matter, or if cells
	// lie on other cells.
	Ends   [][2]int16
	Exact  bool // a stone of its side at an end spoils a line
	Closed bool // opposing stones at both ends spoil a line; the board's edge does not count
}

// Spoilt reports whether the stones at a line's ends spoil it for side.
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
