// Package rules implements a small game of pieces. Each side begins with a row of them. A piece steps to any of the
// eight cells around it, unless a piece of its own side is there; it captures one of the other side. A side wins when a
// piece of its own reaches the far row, or when the other side has no piece left. Pieces may step back, so boards can
// recur: if nobody has won after a number of moves, the game is drawn.
//
// All of it is yours to change. A comment with "Change" says where a kind of rule has its place.
package rules

import (
	"fmt"
	"math/bits"
	"slices"

	"tengen/game"
)

// steps are the rows down and columns to the right that a piece may go. Change them for pieces that step otherwise, say
// {-1, 0} first for pawns: the number of moves, the symmetries and the notation follow.
var steps = [][2]int{{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}

// The compiler checks that the types keep the contracts of package game.
var (
	_ game.Game[State] = (*Game)(nil)
	_ game.Spatial     = (*Game)(nil)
	_ game.Turned      = (*Game)(nil)
	_ game.Diagram     = State{}
	_ game.Alike       = State{}
)

// Game is one board. What never changes during a game belongs here.
type Game struct {
	size       game.Size
	home       uint64 // the cells where the side to move begins, as it sees them; cell i is bit i
	symmetries []game.Symmetry
}

// Parse returns the board "COLUMNS,ROWS", what follows "yourgame:" in a name, or the board of 5x5 for "".
func Parse(numbers string) (*Game, error) {
	size := game.Size{Columns: 5, Rows: 5}
	if numbers != "" {
		fmt.Sscanf(numbers, "%d,%d", &size.Columns, &size.Rows)
		read := fmt.Sprintf("%d,%d", size.Columns, size.Rows) == numbers
		if !read || min(size.Columns, size.Rows) < 3 || max(size.Columns, size.Rows) > 8 {
			return nil, fmt.Errorf("board %q: want two numbers from 3 to 8, COLUMNS,ROWS", numbers)
		}
	}
	g := &Game{size: size, home: (1<<size.Columns - 1) << (size.Cells() - size.Columns)}
	g.symmetries = size.Symmetries()[:2] // the identity, and left for right: the far row stays the far row
	for i := range g.symmetries {
		s := &g.symmetries[i]
		s.Actions = nil
		for _, image := range s.Cells {
			for kind, step := range steps {
				if i == 1 {
					kind = slices.Index(steps, [2]int{step[0], -step[1]})
				}
				s.Actions = append(s.Actions, g.action(int(image), kind))
			}
		}
	}
	return g, nil
}

// Name returns the board's name. Parse must read what follows the colon.
func (g *Game) Name() string { return fmt.Sprintf("yourgame:%d,%d", g.size.Columns, g.size.Rows) }

// Board returns the size of the board.
func (g *Game) Board() game.Size { return g.size }

// Labels returns the names of the columns and rows.
func (g *Game) Labels() (columns, rows []string) { return g.size.Labels() }

// Symmetries returns the ways to turn a position so that the rules stay the same. Change: where only the
// identity does, write [:1] in Parse.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Start returns the first position. Change: other pieces begin elsewhere.
func (g *Game) Start() State {
	return State{game: g, own: g.home, other: g.turn(g.home), last: game.None}
}

// MaxPlies returns the move after which the game is drawn. A game must end, so one whose boards recur needs such a
// bound: longer than games of good players last, but not much.
func (g *Game) MaxPlies() int { return 4 * g.size.Cells() }

// Actions returns the number of moves, legal or not.
func (g *Game) Actions() int { return g.size.Cells() * len(steps) }

// Layout says how moves are numbered: len(steps) at each cell, which is the one that the piece leaves. Change: moves
// without a cell, such as a pass, get the last numbers and count as Named.
func (g *Game) Layout() game.Layout { return game.Layout{Planes: len(steps)} }

func (g *Game) action(cell, kind int) game.Action { return game.Action(cell*len(steps) + kind) }

// Seen returns where the side to move sees a cell: the second player sees the board turned by half, so that both play
// towards row 0, and a network learns for both at once. Change: if the sides play by different rules, leave out Seen,
// turn and SidesAlike, and fill a plane with 1 if the first player is to move.
func (g *Game) Seen(cell int, mover game.Side) int {
	if mover == game.Second {
		return g.size.Cells() - 1 - cell
	}
	return cell
}

// turn returns cells as the other side sees them.
func (g *Game) turn(cells uint64) uint64 { return bits.Reverse64(cells) >> (64 - g.size.Cells()) }
