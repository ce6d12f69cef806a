// Package mnk plays the m,n,k games: two players put stones on a board of m columns and n rows, and whoever first has k
// or more in an unbroken line, along a row, a column or a diagonal, wins. A full board without one is a draw.
// Tic-tac-toe is 3,3,3; gomoku, in its free form where six in a row win too, is 15,15,5. Under other rules not every
// row wins: see Rule.
//
// A position is two bitboards. The move that fills a cell has the cell's number. Play looks for a win along the four
// lines through the new stone only, so it costs the same on every size of board.
package mnk

import (
	"strconv"

	"tengen/game"
	"tengen/game/lines"
)

// MaxSide is the longest side a board may have, in cells.
const MaxSide = 20

// words is the number of 64-bit words that hold one bit for each cell of the largest board.
const words = (MaxSide*MaxSide + 63) / 64

// bitboard is a set of cells: cell i is bit i%64 of word i/64.
type bitboard [words]uint64

func (b *bitboard) has(cell int) bool { return b[cell>>6]>>(cell&63)&1 != 0 }
func (b *bitboard) add(cell int)      { b[cell>>6] |= 1 << (cell & 63) }

// Game is one m,n,k board: a game.Game[State] and game.Setup[State]. It is immutable and safe for concurrent use.
type Game struct {
	name    string
	size    game.Size
	k       int
	rule    Rule
	cells   int         // of the board
	board   bitboard    // all of them
	words   int         // words of a bitboard that the board uses
	strides [4]int      // per direction, from a cell to the next
	reach   [][4]reach  // per cell and direction
	starts  [4]bitboard // per direction, the cells where k in a row may begin and stay on the board
	// before and after are, of those, the cells from which the row can go on at its beginning, and at its end.
	before, after [4]bitboard
	lines         game.LineSet
	symmetries    []game.Symmetry
}

var (
	_ game.Game[State]  = (*Game)(nil)
	_ game.Setup[State] = (*Game)(nil)
	_ game.Alignment    = State{}
)

// reach is how many cells, at most k-1, lie beyond a cell on the same line, against and along a direction.
type reach struct{ back, ahead int8 }

// directions are the steps, in rows and columns, of the four lines through a cell.
var directions = [4]struct{ row, column int }{{0, 1}, {1, 0}, {1, 1}, {1, -1}}

// New returns the board of a size, whose sides are from 1 to MaxSide, on which k or more in a row win, from 1 to the
// longer side.
func New(size game.Size, k int) (*Game, error) { return NewByRule(size, k, Freestyle) }

// NewByRule returns the board on which the rule says which rows win. Under other rules than Freestyle, k is at least 2.
func NewByRule(size game.Size, k int, rule Rule) (*Game, error) {
	if err := lines.Check(size, k, MaxSide); err != nil {
		return nil, err
	}
	if err := rule.check(k); err != nil {
		return nil, err
	}
	cells := size.Cells()
	g := &Game{
		name:       name(size, k, rule),
		size:       size,
		k:          k,
		rule:       rule,
		cells:      cells,
		words:      (cells + 63) / 64,
		reach:      make([][4]reach, cells),
		lines:      lineSet(size, k, rule),
		symmetries: size.Symmetries(),
	}
	for i, d := range directions {
		g.strides[i] = d.row*size.Columns + d.column
	}
	for cell := range cells {
		g.board.add(cell)
		for i := range directions {
			g.reach[cell][i] = reach{back: g.steps(cell, i, -1), ahead: g.steps(cell, i, 1)}
			if int(g.reach[cell][i].ahead) < k-1 {
				continue
			}
			g.starts[i].add(cell)
			if g.along(cell, i, -1) >= 0 {
				g.before[i].add(cell)
			}
			if g.along(cell, i, k) >= 0 {
				g.after[i].add(cell)
			}
		}
	}
	return g, nil
}

// lineSet describes a board on which nothing has to be taken before a cell.
func lineSet(size game.Size, k int, rule Rule) game.LineSet {
	set := game.LineSet{Cells: lines.All(size, k), Exact: rule&Exact != 0, Closed: rule&Caro != 0}
	if rule != Freestyle {
		set.Ends = lines.Ends(size, k)
	}
	for cell := range size.Cells() {
		set.Below = append(set.Below, -1)
		set.Actions = append(set.Actions, game.Action(cell))
	}
	return set
}

// steps counts the cells, at most k-1, that lie beyond cell along direction i, or against it with a sign of -1.
func (g *Game) steps(cell, i, sign int) int8 {
	n := 0
	for n < g.k-1 && g.along(cell, i, sign*(n+1)) >= 0 {
		n++
	}
	return int8(n)
}

// along is the cell that lies n steps from another along direction i, -1 off the board.
func (g *Game) along(cell, i, n int) int {
	row, column := cell/g.size.Columns+n*directions[i].row, cell%g.size.Columns+n*directions[i].column
	if row < 0 || row >= g.size.Rows || column < 0 || column >= g.size.Columns {
		return -1
	}
	return row*g.size.Columns + column
}

// Name is "tictactoe", "gomoku" or "mnk:columns,rows,k", and after that the words of the rule.
func (g *Game) Name() string { return g.name }

// Start is the empty board.
func (g *Game) Start() State { return State{game: g, last: game.None} }

// Board is the size of the board.
func (g *Game) Board() game.Size { return g.size }

// Planes is game.PlacementPlanes.
func (g *Game) Planes() int { return game.PlacementPlanes }

// K is how many in a row win, as far as the rule lets them.
func (g *Game) K() int { return g.k }

// Rule says which rows win.
func (g *Game) Rule() Rule { return g.rule }

// Actions is the number of cells.
func (g *Game) Actions() int { return g.cells }

// MaxPlies is the number of cells.
func (g *Game) MaxPlies() int { return g.cells }

// Symmetries are the 8 of a square board or the 4 of a rectangle.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels are letters for the columns and, for the rows, numbers counted from the bottom.
func (g *Game) Labels() (columns, rows []string) {
	for c := range g.size.Columns {
		columns = append(columns, string(rune('a'+c)))
	}
	for r := g.size.Rows; r > 0; r-- {
		rows = append(rows, strconv.Itoa(r))
	}
	return columns, rows
}
