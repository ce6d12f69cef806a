// Package mnk plays the m,n,k games: two players put stones on a board of m columns and n rows, and whoever first has k
// or more in an unbroken line, along a row, a column or a diagonal, wins. A full board without one is a draw.
// Tic-tac-toe is 3,3,3; gomoku, in its free form where six in a row win too, is 15,15,5.
//
// A position is two bitboards. The move that fills a cell has the cell's number. Play looks for a win along the four lines
// through the new stone only, so it costs the same on every size of board.
package mnk

import (
	"fmt"
	"strconv"
	"strings"

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
	name       string
	size       game.Size
	k          int
	cells      int         // of the board
	board      bitboard    // all of them
	words      int         // words of a bitboard that the board uses
	strides    [4]int      // per direction, from a cell to the next
	reach      [][4]reach  // per cell and direction
	starts     [4]bitboard // per direction, the cells where k in a row may begin and stay on the board
	lines      game.LineSet
	symmetries []game.Symmetry
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

// New returns the board of a size, whose sides are from 1 to MaxSide, on which k in a row win, from 1 to the longer side.
func New(size game.Size, k int) (*Game, error) {
	if err := lines.Check(size, k, MaxSide); err != nil {
		return nil, err
	}
	cells := size.Cells()
	g := &Game{
		name:       name(size, k),
		size:       size,
		k:          k,
		cells:      cells,
		words:      (cells + 63) / 64,
		reach:      make([][4]reach, cells),
		lines:      lineSet(size, k),
		symmetries: size.Symmetries(),
	}
	for i, d := range directions {
		g.strides[i] = d.row*size.Columns + d.column
	}
	for cell := range cells {
		g.board.add(cell)
		for i, d := range directions {
			g.reach[cell][i] = reach{
				back:  g.steps(cell, -d.row, -d.column),
				ahead: g.steps(cell, d.row, d.column),
			}
			if int(g.reach[cell][i].ahead) == k-1 {
				g.starts[i].add(cell)
			}
		}
	}
	return g, nil
}

// lineSet describes a board on which nothing has to be taken before a cell.
func lineSet(size game.Size, k int) game.LineSet {
	set := game.LineSet{Cells: lines.All(size, k)}
	for cell := range size.Cells() {
		set.Below = append(set.Below, -1)
		set.Actions = append(set.Actions, game.Action(cell))
	}
	return set
}

// steps counts the cells, at most k-1, that lie beyond cell in a direction.
func (g *Game) steps(cell, rowStep, columnStep int) int8 {
	n := 0
	row, column := cell/g.size.Columns, cell%g.size.Columns
	for n < g.k-1 {
		row, column = row+rowStep, column+columnStep
		if row < 0 || row >= g.size.Rows || column < 0 || column >= g.size.Columns {
			break
		}
		n++
	}
	return int8(n)
}

// Parse returns the board with the numbers "columns,rows,k", as they stand in a game's name after "mnk:".
func Parse(numbers string) (*Game, error) {
	size, k, err := lines.Parse(numbers)
	if err != nil {
		return nil, err
	}
	return New(size, k)
}

// TicTacToe returns 3,3,3.
func TicTacToe() *Game { return square(3, 3) }

// Gomoku returns 15,15,5.
func Gomoku() *Game { return square(15, 5) }

func square(side, k int) *Game {
	g, err := New(game.Size{Rows: side, Columns: side}, k)
	if err != nil {
		panic(err)
	}
	return g
}

// name is the one name of a board.
func name(size game.Size, k int) string {
	switch numbers := lines.Format(size, k); numbers {
	case "3,3,3":
		return "tictactoe"
	case "15,15,5":
		return "gomoku"
	default:
		return "mnk:" + numbers
	}
}

// Named returns the board of a name, see Game.Name. The error says that no board has it.
func Named(name string) (*Game, error) {
	switch numbers, numbered := strings.CutPrefix(name, "mnk:"); {
	case numbered:
		return Parse(numbers)
	case name == "tictactoe":
		return TicTacToe(), nil
	case name == "gomoku":
		return Gomoku(), nil
	}
	return nil, fmt.Errorf("%q is no m,n,k game", name)
}

// Name is "tictactoe", "gomoku" or "mnk:columns,rows,k".
func (g *Game) Name() string { return g.name }

// Start is the empty board.
func (g *Game) Start() State { return State{game: g, last: game.None} }

// Board is the size of the board.
func (g *Game) Board() game.Size { return g.size }

// Planes is game.PlacementPlanes.
func (g *Game) Planes() int { return game.PlacementPlanes }

// K is how many in a row win.
func (g *Game) K() int { return g.k }

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
