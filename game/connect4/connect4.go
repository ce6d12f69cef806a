// Package connect4 implements Connect Four: two players drop stones into the columns of an upright board, and the first
// to have k or more in an unbroken row, column or diagonal wins. A full board without a winner is a draw. The standard
// board has 7 columns and 6 rows, and k is 4.
//
// A position is two bitboards, with cells numbered column by column from the left, each from the bottom up. Elsewhere
// cells are numbered as in game.Size.
package connect4

import (
	"fmt"
	"strconv"

	"tengen/game"
	"tengen/game/lines"
)

// MaxCells is the maximum number of cells on a board.
const MaxCells = 64

// Game is one board. It is immutable and safe for concurrent use.
type Game struct {
	name       string
	size       game.Size
	k          int
	board      uint64           // all cells
	column     [MaxCells]uint64 // [column] its cells, if any
	drawn      [MaxCells]int    // [bit] the drawn cell
	piled      [MaxCells]int    // the inverse of drawn
	runs       runs
	lines      game.LineSet
	symmetries []game.Symmetry
}

var (
	_ game.Game[State]  = (*Game)(nil)
	_ game.Setup[State] = (*Game)(nil)
	_ game.Alignment    = State{}
)

// New returns the board of a size, of 1 to MaxCells cells. k is from 1 to the longer side.
func New(size game.Size, k int) (*Game, error) {
	if err := lines.Check(size, k, MaxCells); err != nil {
		return nil, err
	}
	if size.Cells() > MaxCells {
		return nil, fmt.Errorf("board of %v: it has %d cells; at most %d are allowed", size, size.Cells(), MaxCells)
	}
	g := &Game{name: name(size, k), size: size, k: k, runs: newRuns(size, k), lines: lineSet(size, k), symmetries: symmetries(size)}
	for cell := range size.Cells() {
		column, height := cell/size.Rows, cell%size.Rows
		g.board |= 1 << cell
		g.column[column] |= 1 << cell
		g.drawn[cell] = (size.Rows-1-height)*size.Columns + column
		g.piled[g.drawn[cell]] = cell
	}
	return g, nil
}

func lineSet(size game.Size, k int) game.LineSet {
	set := game.LineSet{Cells: lines.All(size, k)}
	for cell := range size.Cells() {
		below := cell + size.Columns
		if below >= size.Cells() {
			below = -1
		}
		set.Below = append(set.Below, int16(below))
		set.Actions = append(set.Actions, game.Action(cell%size.Columns))
	}
	return set
}

// Parse returns the board "columns,rows,k", a name's part after "connect4:", or the standard board for "".
func Parse(numbers string) (*Game, error) {
	if numbers == "" {
		return Standard(), nil
	}
	size, k, err := lines.Parse(numbers)
	if err != nil {
		return nil, err
	}
	return New(size, k)
}

// Standard returns the standard board, 7,6,4.
func Standard() *Game {
	g, err := New(game.Size{Rows: 6, Columns: 7}, 4)
	if err != nil {
		panic(err)
	}
	return g
}

func name(size game.Size, k int) string {
	numbers := lines.Format(size, k)
	if numbers == "7,6,4" {
		return "connect4"
	}
	return "connect4:" + numbers
}

func symmetries(size game.Size) []game.Symmetry {
	both := size.Symmetries()[:2]
	for i := range both {
		both[i].Actions = both[i].Actions[:size.Columns] // the top row: cells are columns
	}
	return both
}

// Name returns "connect4" or "connect4:columns,rows,k".
func (g *Game) Name() string { return g.name }

// Start returns the empty board.
func (g *Game) Start() State { return State{game: g, last: move{column: game.None}} }

// Board returns the board size.
func (g *Game) Board() game.Size { return g.size }

// Planes returns game.PlacementPlanes.
func (g *Game) Planes() int { return game.PlacementPlanes }

// K returns how many in a row win.
func (g *Game) K() int { return g.k }

// Sentence returns the rules in a few words.
func (g *Game) Sentence() string {
	return "Drop a disc into a column; it falls to the lowest free cell. " + lines.Sentence(g.size, g.k, false, false)
}

// Actions returns the number of columns. An action is a column's index.
func (g *Game) Actions() int { return g.size.Columns }

// MaxPlies returns the number of cells.
func (g *Game) MaxPlies() int { return g.size.Cells() }

// Symmetries returns the identity and the reflection of the columns.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels returns the column numbers, from 1.
func (g *Game) Labels() (columns, rows []string) {
	for c := range g.size.Columns {
		columns = append(columns, strconv.Itoa(c+1))
	}
	return columns, nil
}
