// Package othello implements Othello on square boards. A new disc turns over the opponent's discs between it and
// another disc of its side, in all eight directions, and must turn at least one. A side without such a move passes.
// When neither has one, the side with more discs wins.
//
// The first player has the black discs.
package othello

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
)

// Sides of boards are even, from MinSide to MaxSide.
const (
	MinSide = 4
	MaxSide = 12
)

// Game is one board. It is immutable and safe for concurrent use.
type Game struct {
	name       string
	size       game.Size
	wide       bool // more than 64 cells
	directions [8]direction
	corners    [4]corner
	symmetries []game.Symmetry
}

var (
	_ game.Game[State]   = (*Game)(nil)
	_ game.Imaged[State] = (*Game)(nil)
	_ game.Setup[State]  = (*Game)(nil)
	_ game.Captioned     = (*Game)(nil)
	_ game.Diagram       = State{}
	_ game.Scored        = State{}
)

// New returns the board with so many rows and columns.
func New(side int) (*Game, error) {
	if side < MinSide || side > MaxSide || side%2 != 0 {
		return nil, fmt.Errorf("side %d: it must be even, from %d to %d", side, MinSide, MaxSide)
	}
	g := &Game{name: name(side), size: game.Size{Rows: side, Columns: side}}
	g.wide = g.size.Cells() > 64
	g.directions = directions(g.size)
	g.corners = corners(side)
	g.symmetries = g.size.Symmetries()
	for i := range g.symmetries {
		g.symmetries[i].Actions = append(g.symmetries[i].Actions, g.pass())
	}
	return g, nil
}

// Parse returns the board for a name's part after "othello:", the side, or the board of 8x8 for "".
func Parse(side string) (*Game, error) {
	if side == "" {
		return New(8)
	}
	n, err := strconv.Atoi(strings.TrimSpace(side))
	if err != nil {
		return nil, fmt.Errorf("side %q is not a number", side)
	}
	return New(n)
}

func name(side int) string {
	if side == 8 {
		return "othello"
	}
	return fmt.Sprintf("othello:%d", side)
}

// center returns one of the four cells in the middle, by row and column.
func (g *Game) center(row, column int) int {
	return (g.size.Rows/2-1+row)*g.size.Columns + g.size.Columns/2 - 1 + column
}

// pass returns the move of a side that cannot put a disc.
func (g *Game) pass() game.Action { return game.Action(g.size.Cells()) }

// Name returns "othello" or "othello:side".
func (g *Game) Name() string { return g.name }

// Start returns the position with two discs of each side in the middle.
func (g *Game) Start() State {
	return g.begin(single(g.center(0, 1)).or(single(g.center(1, 0))), single(g.center(0, 0)).or(single(g.center(1, 1))))
}

// Image returns the image of the start: a symmetry that exchanges the cells of the two sides exchanges their discs.
func (g *Game) Image(i int) State {
	start := g.Start()
	if start.own.has(int(g.symmetries[i].Cells[g.center(0, 1)])) {
		return start
	}
	return g.begin(start.opponent, start.own)
}

func (g *Game) begin(own, opponent set) State {
	return State{game: g, own: own, opponent: opponent, moves: g.moves(own, opponent), last: game.None}
}

// FromStones sets up a position. The four cells in the middle have discs, as in every game. The ply counts the other
// discs and, if they do not agree with the side to move, a pass.
func (g *Game) FromStones(cells []game.Side, toMove game.Side, last game.Action) (State, error) {
	if err := game.CheckStones(g.size, cells, toMove); err != nil {
		return State{}, fmt.Errorf("position of %s: %w", g.name, err)
	}
	discs := map[game.Side]set{}
	for cell, side := range cells {
		discs[side] = discs[side].or(single(cell))
	}
	for i := range 4 {
		if cell := g.center(i/2, i%2); discs[game.Nobody].has(cell) {
			return State{}, fmt.Errorf("position of %s: %s is empty, but the four cells in the middle always have discs",
				g.name, g.Start().Format(game.Action(cell)))
		}
	}
	s := g.begin(discs[toMove], discs[toMove.Opponent()])
	if last != game.None && last != g.pass() && (last < 0 || last > g.pass() || !s.opponent.has(int(last))) {
		return State{}, fmt.Errorf("position of %s: last move #%d: there is no disc of the %v, who moved last",
			g.name, last, toMove.Opponent())
	}
	s.last, s.over = last, s.moves == (set{}) && g.moves(s.opponent, s.own) == (set{})
	s.ply = int16(g.size.Cells() - discs[game.Nobody].count() - 4)
	if s.ToMove() != toMove {
		s.ply++
	}
	return s, nil
}

// Sentence returns the rules in a few words.
func (g *Game) Sentence() string {
	return "Enclose discs of the other side between two of yours to turn them over; if you cannot, you pass. " +
		"When neither side can move, the side with more discs wins."
}

// Board returns the board size.
func (g *Game) Board() game.Size { return g.size }

// Planes returns 4: see State.Encode.
func (g *Game) Planes() int { return planes }

// Captions names the planes.
func (g *Game) Captions() []string {
	return []string{"discs of the side to move", "discs of its opponent", "cells where the side to move may put a disc",
		"cells where its opponent could"}
}

// Actions returns the number of cells and the pass. An action is the number of its cell.
func (g *Game) Actions() int { return g.size.Cells() + 1 }

// Layout returns a plane of discs and the pass.
func (g *Game) Layout() game.Layout { return game.Layout{Planes: 1, Named: 1} }

// MaxPlies counts a pass after each disc.
func (g *Game) MaxPlies() int { return 2 * (g.size.Cells() - 4) }

// Symmetries returns the 8 symmetries of the square: see Image.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels returns letters for the columns and numbers, from the top, for the rows.
func (g *Game) Labels() (columns, rows []string) {
	columns, rows = g.size.Labels()
	slices.Reverse(rows)
	return columns, rows
}
