// Package mnk implements the m,n,k games: two players put stones on a board of m columns and n rows, and the first to
// have k or more in an unbroken row, column or diagonal wins. A full board without a winner is a draw. Tic-tac-toe is
// 3,3,3; freestyle gomoku is 15,15,5. Other rules restrict which rows win: see Rule.
//
// An action is the number of its cell. Play looks for a win only along the four lines through the new stone.
package mnk

import (
	"tengen/game"
	"tengen/game/lines"
)

// MaxSide is the maximum of rows and of columns.
const MaxSide = 20

const words = (MaxSide*MaxSide + 63) / 64

// bitboard is a set of cells: cell i is bit i%64 of word i/64.
type bitboard [words]uint64

func (b *bitboard) has(cell int) bool { return b[cell>>6]>>(cell&63)&1 != 0 }
func (b *bitboard) add(cell int)      { b[cell>>6] |= 1 << (cell & 63) }

// Game is an m,n,k board. It is immutable and safe for concurrent use.
type Game struct {
	name    string
	size    game.Size
	k       int
	rule    Rule
	cells   int
	board   bitboard    // all cells
	words   int         // used words of a bitboard
	strides [4]int      // [direction] from a cell to the next
	reach   [][4]reach  // [cell][direction]
	starts  [4]bitboard // [direction] the first cells of the lines of k
	// before and after hold the starts of the lines that the board continues before the first or after the last cell.
	before, after [4]bitboard
	lines         game.LineSet
	symmetries    []game.Symmetry
}

var (
	_ game.Game[State]  = (*Game)(nil)
	_ game.Setup[State] = (*Game)(nil)
	_ game.Spatial      = (*Game)(nil)
	_ game.Alignment    = State{}
)

// reach counts the cells of the board, at most k-1, that lie behind and ahead of a cell in a direction.
type reach struct{ back, ahead int8 }

// New returns the freestyle board of a size, with sides from 1 to MaxSide and k from 1 to the longer side.
func New(size game.Size, k int) (*Game, error) { return NewByRule(size, k, Freestyle) }

// NewByRule is like New for any rule. Rules other than Freestyle require k to be at least 2.
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
	for i, d := range lines.Directions {
		g.strides[i] = d.Rows*size.Columns + d.Columns
	}
	for cell := range cells {
		g.board.add(cell)
		for i := range lines.Directions {
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

// steps counts the cells of the board, at most k-1, that lie ahead of cell in direction i, or behind it for sign -1.
func (g *Game) steps(cell, i, sign int) int8 {
	n := 0
	for n < g.k-1 && g.along(cell, i, sign*(n+1)) >= 0 {
		n++
	}
	return int8(n)
}

// along returns the cell n steps from cell along direction i, or -1 off the board.
func (g *Game) along(cell, i, n int) int {
	d := lines.Directions[i]
	return g.size.Step(cell, n*d.Rows, n*d.Columns)
}

// Name returns "tictactoe", "gomoku" or "mnk:columns,rows,k", with any rule words as in "mnk:15,15,5,exact".
func (g *Game) Name() string { return g.name }

// Start returns the empty board.
func (g *Game) Start() State { return State{game: g, last: game.None} }

// Board returns the board size.
func (g *Game) Board() game.Size { return g.size }

// Planes returns game.PlacementPlanes.
func (g *Game) Planes() int { return game.PlacementPlanes }

// K returns how many in a row win.
func (g *Game) K() int { return g.k }

// Rule returns the rule.
func (g *Game) Rule() Rule { return g.rule }

// Sentence returns the rules in a few words.
func (g *Game) Sentence() string {
	stone := "a stone"
	if g.size.Columns <= 4 && g.size.Rows <= 4 {
		stone = "your mark"
	}
	return "Put " + stone + " on any free cell. " + lines.Sentence(g.size, g.k, g.rule&Exact != 0, g.rule&Caro != 0)
}

// Actions returns the number of cells.
func (g *Game) Actions() int { return g.cells }

// Layout returns one plane: an action is a cell.
func (g *Game) Layout() game.Layout { return game.Layout{Planes: 1} }

// MaxPlies returns the number of cells.
func (g *Game) MaxPlies() int { return g.cells }

// Symmetries returns the 8 symmetries of a square board or the 4 of a rectangle.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels returns letters for the columns and numbers, from the bottom, for the rows.
func (g *Game) Labels() (columns, rows []string) { return g.size.Labels() }
