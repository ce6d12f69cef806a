// Package connect4 plays Connect Four and its relatives: two players drop stones into the columns of an upright board,
// and whoever first has k or more in an unbroken line, along a row, a column or a diagonal, wins. A full board without
// one is a draw. The standard board has 7 columns and 6 rows, and k is 4.
//
// A position is two bitboards of 64 bits. Their cells are counted column by column from the left, each from the bottom
// up, as stones pile up; everywhere else cells are counted as in game.Size.
package connect4

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/game/lines"
)

// MaxCells is the largest number of cells a board may have.
const MaxCells = 64

// Game is one board: a game.Game[State] and game.Setup[State]. It is immutable and safe for concurrent use.
type Game struct {
	name       string
	size       game.Size
	k          int
	board      uint64           // the cells of the board
	column     [MaxCells]uint64 // the cells of each column; none beyond the last column
	drawn      [MaxCells]int    // where each cell stands on the drawn board
	piled      [MaxCells]int    // the other way round: the bit of each cell of the drawn board
	runs       runs
	lines      game.LineSet
	symmetries []game.Symmetry
}

var (
	_ game.Game[State]  = (*Game)(nil)
	_ game.Setup[State] = (*Game)(nil)
	_ game.Alignment    = State{}
)

// New returns the board of a size, at least one cell long and wide and of at most MaxCells cells, on which k in a row
// win, from 1 to the longer side.
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

// lineSet describes a board on which every cell but those of the bottom row lies on another.
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

// Parse returns the board with the numbers "columns,rows,k", as they stand in a game's name after "connect4:".
func Parse(numbers string) (*Game, error) {
	size, k, err := lines.Parse(numbers)
	if err != nil {
		return nil, err
	}
	return New(size, k)
}

// Named returns the board of a name, see Game.Name. The error says that no board has it.
func Named(name string) (*Game, error) {
	switch numbers, numbered := strings.CutPrefix(name, "connect4:"); {
	case numbered:
		return Parse(numbers)
	case name == "connect4":
		return Standard(), nil
	}
	return nil, fmt.Errorf("%q is no board of Connect Four", name)
}

// Standard returns 7,6,4.
func Standard() *Game {
	g, err := New(game.Size{Rows: 6, Columns: 7}, 4)
	if err != nil {
		panic(err)
	}
	return g
}

// name is the one name of a board.
func name(size game.Size, k int) string {
	numbers := lines.Format(size, k)
	if numbers == "7,6,4" {
		return "connect4"
	}
	return "connect4:" + numbers
}

// symmetries are the identity and the reflection of the columns.
func symmetries(size game.Size) []game.Symmetry {
	both := size.Symmetries()[:2]
	for i := range both {
		both[i].Actions = both[i].Actions[:size.Columns] // the cells of the top row, which are the columns
	}
	return both
}

// Name is "connect4" or "connect4:columns,rows,k".
func (g *Game) Name() string { return g.name }

// Start is the empty board.
func (g *Game) Start() State { return State{game: g, last: move{column: game.None}} }

// Board is the size of the board.
func (g *Game) Board() game.Size { return g.size }

// Planes is game.PlacementPlanes.
func (g *Game) Planes() int { return game.PlacementPlanes }

// K is how many in a row win.
func (g *Game) K() int { return g.k }

// Actions is the number of columns: a move is the index of its column.
func (g *Game) Actions() int { return g.size.Columns }

// MaxPlies is the number of cells.
func (g *Game) MaxPlies() int { return g.size.Cells() }

// Symmetries are the identity and the reflection of the columns.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels are the numbers of the columns, from 1; moves do not name rows.
func (g *Game) Labels() (columns, rows []string) {
	for c := range g.size.Columns {
		columns = append(columns, strconv.Itoa(c+1))
	}
	return columns, nil
}
