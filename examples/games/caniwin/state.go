package caniwin

import (
	"fmt"
	"math/bits"

	"tengen/game"
)

// State is a position: an immutable, comparable value. Positions come from Game.Start; the zero State is none.
type State struct {
	game          *Game
	own, opponent uint32 // the numbers that the side to move and the other have taken; n is bit n-1
	missing       int16  // to the total; 0 or less when the opponent has reached it
	last          game.Action
}

// Taken is the numbers that were taken: n is bit n-1.
func (s State) Taken() uint32 { return s.own | s.opponent }

// Missing is what is missing to the total: 0 or less when it was reached.
func (s State) Missing() int { return int(s.missing) }

// Legal appends the numbers that are left to dst, unless the total was reached.
func (s State) Legal(dst []game.Action) []game.Action {
	if s.missing <= 0 {
		return dst
	}
	taken := s.Taken()
	for i := range s.game.numbers {
		if taken>>i&1 == 0 {
			dst = append(dst, game.Action(i))
		}
	}
	return dst
}

// Play returns the position after the side to move has taken the number a + 1. It panics when that is taken already or none of
// the game, or the game is over.
func (s State) Play(a game.Action) State {
	if a < 0 || int(a) >= s.game.numbers || s.missing <= 0 || s.Taken()>>a&1 != 0 {
		panic(fmt.Sprintf("%s: move %s with %d missing, the numbers %b taken", s.game.name, s.game.FormatAction(a), s.missing, s.Taken()))
	}
	return State{game: s.game, own: s.opponent, opponent: s.own | 1<<a, missing: s.missing - int16(a) - 1, last: a}
}

// Outcome is -1 once the opponent has reached the total; 0 when no number is left.
func (s State) Outcome() (z float32, over bool) {
	if s.missing <= 0 {
		return -1, true
	}
	return 0, s.Ply() == s.game.numbers
}

// ToMove is the first player at even plies.
func (s State) ToMove() game.Side { return game.Mover(s.Ply()) }

// Encode writes a plane with the numbers that are left, and then, cell by cell and plane by plane, a 1 for each unit that is missing
// to the total. Who has taken what, and whose turn it is, makes no difference.
func (s State) Encode(planes []float32) {
	n := s.game.numbers
	if len(planes) != n*s.game.Planes() {
		panic(fmt.Sprintf("%s: planes have %d elements; want %d", s.game.name, len(planes), n*s.game.Planes()))
	}
	taken := s.Taken()
	for i := range n {
		planes[i] = float32(1 - taken>>i&1)
	}
	for i := range planes[n:] {
		planes[n+i] = 0
		if i < int(s.missing) {
			planes[n+i] = 1
		}
	}
}

// Key is the numbers that are taken, which tell the sum and the ply as well.
func (s State) Key() game.Key { return game.Key{uint64(s.Taken())} }

// Last is the last move.
func (s State) Last() game.Action { return s.last }

// Ply is the number of numbers taken.
func (s State) Ply() int { return bits.OnesCount32(s.Taken()) }

// Game is the game that is played.
func (s State) Game() *Game { return s.game }

// Cell is the side that has taken a number.
func (s State) Cell(cell int) game.Side {
	switch {
	case s.own>>cell&1 != 0:
		return s.ToMove()
	case s.opponent>>cell&1 != 0:
		return s.ToMove().Opponent()
	}
	return game.Nobody
}

// LastCell is the cell of the last number taken, -1 in the starting position.
func (s State) LastCell() int { return int(s.last) }

// Text is a number, which stays when it is taken.
func (s State) Text(cell int) string { return s.game.FormatAction(game.Action(cell)) }

// Target is the cell of the number.
func (s State) Target(a game.Action) int { return int(a) }

// Tally is the sum so far and the total.
func (s State) Tally() string {
	return fmt.Sprintf("%d of %d", s.game.total-int(s.missing), s.game.total)
}
