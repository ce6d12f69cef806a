// Package connect4 plays Connect Four and its relatives: two players drop stones into the columns of an upright board,
// and whoever first has k or more in an unbroken line, along a row, a column or a diagonal, wins. A full board without
// one is a draw. The standard board has 7 columns and 6 rows, and k is 4.
//
// A position is two bitboards of 64 bits. Cells are counted column by column from the left, each from the bottom up, as
// stones pile up; the planes that a network sees go row by row from the top, as the board is drawn.
package connect4

import (
	"fmt"
	"strconv"

	"tengen/game"
)

// MaxCells is the largest number of cells a board may have.
const MaxCells = 64

// Game is one board: a game.Game[State]. It is immutable and safe for concurrent use.
type Game struct {
	name             string
	columns, rows, k int
	board            uint64           // the cells of the board
	column           [MaxCells]uint64 // the cells of each column; none beyond the last column
	drawn            [MaxCells]int    // where each cell stands on the drawn board, row by row from the top
	lines            lines
	symmetries       []game.Symmetry
}

// New returns the board of the given columns and rows, at least 1 of each and at most MaxCells cells in all, on which
// k in a row win, from 1 to the longer side.
func New(columns, rows, k int) (*Game, error) {
	if err := game.CheckSize(columns, rows, k, MaxCells); err != nil {
		return nil, err
	}
	cells := columns * rows
	if cells > MaxCells {
		return nil, fmt.Errorf("board of %d columns, %d rows: it has %d cells; at most %d are allowed", columns, rows, cells, MaxCells)
	}
	g := &Game{
		name:    name(columns, rows, k),
		columns: columns, rows: rows, k: k,
		lines:      newLines(columns, rows, k),
		symmetries: symmetries(columns, rows),
	}
	for cell := range cells {
		column, height := cell/rows, cell%rows
		g.board |= 1 << cell
		g.column[column] |= 1 << cell
		g.drawn[cell] = (rows-1-height)*columns + column
	}
	return g, nil
}

// Parse returns the board with the numbers "columns,rows,k", as they stand in a game's name after "connect4:".
func Parse(numbers string) (*Game, error) {
	columns, rows, k, err := game.ParseSize(numbers)
	if err != nil {
		return nil, err
	}
	return New(columns, rows, k)
}

// Standard returns 7,6,4.
func Standard() *Game {
	g, err := New(7, 6, 4)
	if err != nil {
		panic(err)
	}
	return g
}

// name is the one name of a board.
func name(columns, rows, k int) string {
	if columns == 7 && rows == 6 && k == 4 {
		return "connect4"
	}
	return fmt.Sprintf("connect4:%d,%d,%d", columns, rows, k)
}

// symmetries are the identity and the reflection of the columns.
func symmetries(columns, rows int) []game.Symmetry {
	var identity, mirror game.Symmetry
	for c := range columns {
		identity.Actions = append(identity.Actions, game.Action(c))
		mirror.Actions = append(mirror.Actions, game.Action(columns-1-c))
	}
	for r := range rows {
		for c := range columns {
			identity.Cells = append(identity.Cells, int32(r*columns+c))
			mirror.Cells = append(mirror.Cells, int32(r*columns+columns-1-c))
		}
	}
	return []game.Symmetry{identity, mirror}
}

// Name is "connect4" or "connect4:columns,rows,k".
func (g *Game) Name() string { return g.name }

// Start is the empty board.
func (g *Game) Start() State { return State{game: g, last: move{column: game.None}} }

// Board is the size in cells.
func (g *Game) Board() (height, width int) { return g.rows, g.columns }

// K is how many in a row win.
func (g *Game) K() int { return g.k }

// Actions is the number of columns: a move is the index of its column.
func (g *Game) Actions() int { return g.columns }

// Symmetries are the identity and the reflection of the columns.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels are the numbers of the columns, from 1; moves do not name rows.
func (g *Game) Labels() (columns, rows []string) {
	for c := range g.columns {
		columns = append(columns, strconv.Itoa(c+1))
	}
	return columns, nil
}
