// Package breakthrough implements Breakthrough (Troyka 2000). Each side has two full rows of pieces. A piece moves one
// step straight or diagonally ahead to an empty cell, or diagonally ahead onto an opponent's piece, which it captures.
// The side that reaches the last row or captures all pieces wins. There are no draws and no passes. A side can always
// move: neither cell diagonally ahead of its foremost piece holds another of its pieces.
//
// The first player begins at the bottom and moves up. The planes and the numbers of moves show the board as the side to
// move sees it, with the rows mirrored for the second player: each side moves towards row 0.
package breakthrough

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"tengen/game"
)

// The sizes of boards.
const (
	MinColumns = 3
	MaxColumns = 8
	MinRows    = 5
	MaxRows    = 8
)

var (
	_ game.Game[State]  = (*Game)(nil)
	_ game.Setup[State] = (*Game)(nil)
	_ game.Captioned    = (*Game)(nil)
	_ game.Spatial      = (*Game)(nil)
	_ game.Turned       = (*Game)(nil)
	_ game.Diagram      = State{}
	_ game.Alike        = State{}
)

// Game is one board. It is immutable and safe for concurrent use.
type Game struct {
	name        string
	size        game.Size
	left, right uint64 // the outer columns
	home        uint64 // the last row
	symmetries  []game.Symmetry
}

// New returns the board of a size.
func New(size game.Size) (*Game, error) {
	if size.Columns < MinColumns || size.Columns > MaxColumns || size.Rows < MinRows || size.Rows > MaxRows {
		return nil, fmt.Errorf("board of %v: it must have %d to %d columns and %d to %d rows", size, MinColumns, MaxColumns, MinRows, MaxRows)
	}
	g := &Game{name: name(size), size: size, symmetries: size.Symmetries()[:2]}
	for row := range size.Rows {
		g.left |= 1 << (row * stride)
		g.right |= 1 << (row*stride + size.Columns - 1)
	}
	g.home = g.row(size.Rows - 1)
	for mirrored := range g.symmetries {
		s := &g.symmetries[mirrored]
		s.Actions = nil
		for _, image := range s.Cells {
			for step := range steps {
				if mirrored == 1 {
					step = steps - 1 - step
				}
				s.Actions = append(s.Actions, game.Action(int(image)*steps+step))
			}
		}
	}
	return g, nil
}

// Parse returns the board "columns,rows", a name's part after "breakthrough:", or the board of 8x8 for "".
func Parse(numbers string) (*Game, error) {
	if numbers == "" {
		numbers = "8,8"
	}
	columns, rows, _ := strings.Cut(numbers, ",")
	c, errColumns := strconv.Atoi(strings.TrimSpace(columns))
	r, errRows := strconv.Atoi(strings.TrimSpace(rows))
	if errColumns != nil || errRows != nil {
		return nil, fmt.Errorf("board %q: want two numbers, columns,rows, such as 6,6", numbers)
	}
	return New(game.Size{Columns: c, Rows: r})
}

func name(size game.Size) string {
	if size.Columns == 8 && size.Rows == 8 {
		return "breakthrough"
	}
	return fmt.Sprintf("breakthrough:%d,%d", size.Columns, size.Rows)
}

// row returns the cells of a row.
func (g *Game) row(row int) uint64 { return (1<<g.size.Columns - 1) << (row * stride) }

// Name returns "breakthrough" or "breakthrough:columns,rows".
func (g *Game) Name() string { return g.name }

// Start returns the position with two full rows of each side.
func (g *Game) Start() State {
	rows := g.size.Rows
	return State{game: g, own: g.row(rows-1) | g.row(rows-2), opponent: g.row(0) | g.row(1), last: game.None}
}

// FromStones sets up a position. The ply is 0 or 1, since pieces do not tell how many moves they have made.
func (g *Game) FromStones(cells []game.Side, toMove game.Side, last game.Action) (State, error) {
	if err := game.CheckStones(g.size, cells, toMove); err != nil {
		return State{}, fmt.Errorf("position of %s: %w", g.name, err)
	}
	pieces := map[game.Side]uint64{}
	for cell, side := range cells {
		pieces[side] |= 1 << g.bit(g.Seen(cell, toMove))
		if n := bits.OnesCount64(pieces[side]); side != game.Nobody && n > 2*g.size.Columns {
			return State{}, fmt.Errorf("position of %s: the %v has more than %d pieces", g.name, side, 2*g.size.Columns)
		}
	}
	s := State{game: g, own: pieces[toMove], opponent: pieces[toMove.Opponent()], last: last}
	if s.ToMove() != toMove {
		s.ply++
	}
	if s.opponent == 0 || s.own&g.row(0) != 0 {
		return State{}, fmt.Errorf("position of %s: the %v has already won, so it cannot be to move", g.name, toMove)
	}
	to := uint(g.bit(int(last)/steps) + ahead(int(last)%steps)) // as the opponent sees the board
	if last != game.None && (last < 0 || int(last) >= g.Actions() || g.turned(s.opponent)>>to&1 == 0) {
		return State{}, fmt.Errorf("position of %s: last move #%d: there is no piece of the %v, who moved last",
			g.name, last, toMove.Opponent())
	}
	return s, nil
}

// Sentence returns the rules in a few words.
func (g *Game) Sentence() string {
	return "Move a piece one step ahead, straight or diagonally; capture only diagonally. " +
		"Reach the last row, or capture all pieces, to win."
}

// Board returns the board size.
func (g *Game) Board() game.Size { return g.size }

// Planes returns 2: see State.Encode.
func (g *Game) Planes() int { return planes }

// Captions names the planes.
func (g *Game) Captions() []string {
	return []string{"pieces of the side to move, which moves towards row 0", "pieces of its opponent"}
}

// Layout returns a plane for each step. A move has the cell that the piece leaves.
func (g *Game) Layout() game.Layout { return game.Layout{Planes: steps} }

// Seen mirrors the rows for the second player.
func (g *Game) Seen(cell int, mover game.Side) int {
	if mover == game.First {
		return cell
	}
	return (g.size.Rows-1-cell/g.size.Columns)*g.size.Columns + cell%g.size.Columns
}

// Actions returns the number of cells times the steps.
func (g *Game) Actions() int { return g.size.Cells() * steps }

// MaxPlies counts the moves that take all pieces to the row before the last, and one more.
func (g *Game) MaxPlies() int { return 2*g.size.Columns*(2*g.size.Rows-5) + 1 }

// Symmetries returns the identity and the reflection of the columns.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels returns letters for the columns and numbers, from the bottom, for the rows.
func (g *Game) Labels() (columns, rows []string) { return g.size.Labels() }
