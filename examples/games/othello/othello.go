// Package othello implements Othello on 6x6. A new stone turns over the opponent's stones between it and another stone
// of its side. A side that cannot turn any over passes. When both sides have to pass, the side with more stones wins.
package othello

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"tengen/engine"
	"tengen/game"
	"tengen/run"
)

// Family is the game for tengen.Main.
var Family = run.Of(engine.Rules[State, *Game]{
	Name: "othello", Form: "othello", Parse: Parse,
	Title: func(*Game) string { return "Othello" }, Boards: []string{"othello"},
})

// Game implements game.Game[State].
type Game struct{}

var (
	_ game.Game[State] = (*Game)(nil)
	_ game.Diagram     = State{}
)

// Parse returns the game. Its name has no numbers.
func Parse(numbers string) (*Game, error) {
	if numbers != "" {
		return nil, fmt.Errorf("%q after the name: othello has no other board", numbers)
	}
	return &Game{}, nil
}

// State is a position.
type State struct {
	stones [2]uint64 // the first and the second player's; cell i is bit i
	mover  uint8
	ply    int8
	last   game.Action
}

const (
	side = 6
	pass = game.Action(side * side)
)

// Name implements game.Game.
func (*Game) Name() string { return "othello" }

// Board implements game.Game.
func (*Game) Board() game.Size { return game.Size{Rows: side, Columns: side} }

// Planes returns 2: see State.Encode.
func (*Game) Planes() int { return 2 }

// Actions implements game.Game.
func (*Game) Actions() int { return int(pass) + 1 }

// MaxPlies counts a pass after each stone.
func (*Game) MaxPlies() int { return 2 * (side*side - 4) }

// Start implements game.Game.
func (*Game) Start() State {
	return State{stones: [2]uint64{1<<15 | 1<<20, 1<<14 | 1<<21}, last: game.None}
}

// Symmetries returns the symmetries of the square that leave the starting position unchanged.
func (g *Game) Symmetries() (all []game.Symmetry) {
	for _, s := range g.Board().Symmetries() {
		if to := s.Cells[15]; to == 15 || to == 20 {
			s.Actions = append(s.Actions, pass)
			all = append(all, s)
		}
	}
	return all
}

// Labels names the columns a to f, and the rows 6 to 1 from the top.
func (*Game) Labels() (columns, rows []string) {
	return strings.Split("abcdef", ""), strings.Split("654321", "")
}

// ToMove returns the side to move, which may have to pass.
func (s State) ToMove() game.Side { return game.Mover(int(s.mover)) }

// Last implements game.State.
func (s State) Last() game.Action { return s.last }

// Ply implements game.State.
func (s State) Ply() int { return int(s.ply) }

// Target returns the cell of a stone.
func (s State) Target(a game.Action) game.Target {
	if a == pass {
		return game.Target{From: -1, To: -1, Word: "pass"}
	}
	return game.Onto(int(a))
}

// Format returns a cell, "a1" to "f6", or "pass".
func (s State) Format(a game.Action) string {
	if a == pass {
		return "pass"
	}
	return fmt.Sprintf("%c%d", 'a'+a%side, side-a/side)
}

// Key is the stones and the ply, which determines the side to move.
func (s State) Key() game.Key {
	return game.Key{s.stones[0] | uint64(s.ply)<<40, s.stones[1]}
}

// Cell implements game.Diagram.
func (s State) Cell(cell int) game.Side {
	return game.Side(s.stones[0]>>cell&1) - game.Side(s.stones[1]>>cell&1)
}

// flips returns the opponent's stones that a stone of own on the empty cell would turn over.
func flips(own, opponent uint64, cell int) (turned uint64) {
	for _, step := range [8][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		var passed uint64
		row, column := cell/side, cell%side
		for {
			row, column = row+step[0], column+step[1]
			if row < 0 || row >= side || column < 0 || column >= side {
				break
			}
			bit := uint64(1) << (row*side + column)
			if own&bit != 0 {
				turned |= passed
			}
			if opponent&bit == 0 {
				break
			}
			passed |= bit
		}
	}
	return turned
}

// places returns the cells where own may put a stone.
func places(own, opponent uint64) (cells uint64) {
	for cell := range side * side {
		if (own|opponent)>>cell&1 == 0 && flips(own, opponent, cell) != 0 {
			cells |= 1 << cell
		}
	}
	return cells
}

// Legal appends the cells where a stone turns others over to dst, or the pass if only the opponent has such cells.
func (s State) Legal(dst []game.Action) []game.Action {
	own, opponent := s.stones[s.mover], s.stones[1-s.mover]
	cells := places(own, opponent)
	if cells == 0 && places(opponent, own) != 0 {
		return append(dst, pass)
	}
	for ; cells != 0; cells &= cells - 1 {
		dst = append(dst, game.Action(bits.TrailingZeros64(cells)))
	}
	return dst
}

// Play returns the position after a. It panics if a is illegal.
func (s State) Play(a game.Action) State {
	var buffer [side * side]game.Action
	if !slices.Contains(s.Legal(buffer[:0]), a) {
		panic(fmt.Sprintf("othello: move %d on %x", a, s.stones))
	}
	if a != pass {
		turned := flips(s.stones[s.mover], s.stones[1-s.mover], int(a))
		s.stones[s.mover] |= turned | 1<<a
		s.stones[1-s.mover] &^= turned
	}
	s.mover ^= 1
	s.ply++
	s.last = a
	return s
}

// Outcome compares the numbers of stones once neither side can put one: +1 if the side to move has more, 0 or -1.
func (s State) Outcome() (z float32, over bool) {
	own, opponent := s.stones[s.mover], s.stones[1-s.mover]
	if places(own, opponent) != 0 || places(opponent, own) != 0 {
		return 0, false
	}
	switch more := bits.OnesCount64(own) - bits.OnesCount64(opponent); {
	case more > 0:
		return 1, true
	case more < 0:
		return -1, true
	}
	return 0, true
}

// Encode writes two planes: the stones of the side to move, and its opponent's.
func (s State) Encode(planes []float32) {
	if len(planes) != 2*side*side {
		panic(fmt.Sprintf("othello: planes have %d elements; want %d", len(planes), 2*side*side))
	}
	for cell := range side * side {
		planes[cell] = float32(s.stones[s.mover] >> cell & 1)
		planes[side*side+cell] = float32(s.stones[1-s.mover] >> cell & 1)
	}
}
