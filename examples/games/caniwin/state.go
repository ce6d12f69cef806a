package caniwin

import (
	"fmt"
	"math/bits"
	"strconv"

	"tengen/game"
)

// State is an immutable, comparable position. The zero State is invalid; Game.Start returns the first position.
type State struct {
	game          *Game
	own, opponent uint32 // numbers taken by the side to move and by its opponent; n is bit n-1
	missing       int16  // total minus sum; 0 or less once the opponent has won
	last          game.Action
}

// Taken returns the set of taken numbers: n is bit n-1.
func (s State) Taken() uint32 { return s.own | s.opponent }

// Missing returns the total minus the sum: 0 or less once a side has won.
func (s State) Missing() int { return int(s.missing) }

// Legal appends the numbers left to dst, or nothing once a side has won.
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

// Play returns the position after the side to move takes the number a+1. It panics if a is illegal.
func (s State) Play(a game.Action) State {
	if a < 0 || int(a) >= s.game.numbers || s.missing <= 0 || s.Taken()>>a&1 != 0 {
		panic(fmt.Sprintf("%s: move #%d with %d missing, the numbers %b taken",
			s.game.name, a, s.missing, s.Taken()))
	}
	return State{game: s.game, own: s.opponent, opponent: s.own | 1<<a, missing: s.missing - int16(a) - 1, last: a}
}

// Outcome is -1 once the opponent has reached the total, and 0 when no number is left.
func (s State) Outcome() (z float32, over bool) {
	if s.missing <= 0 {
		return -1, true
	}
	return 0, s.Ply() == s.game.numbers
}

// ToMove implements game.State.
func (s State) ToMove() game.Side { return game.Mover(s.Ply()) }

// Encode writes one plane of the numbers left. A 1 for each unit of Missing then fills the other planes cell by cell.
// The planes omit the owners of taken numbers and the side to move, which do not matter.
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

// Key is the set of taken numbers, which determines the sum and the ply.
func (s State) Key() game.Key { return game.Key{uint64(s.Taken())} }

// Last implements game.State.
func (s State) Last() game.Action { return s.last }

// Ply implements game.State.
func (s State) Ply() int { return bits.OnesCount32(s.Taken()) }

// Game returns the game.
func (s State) Game() *Game { return s.game }

// Cell implements game.Diagram.
func (s State) Cell(cell int) game.Side {
	switch {
	case s.own>>cell&1 != 0:
		return s.ToMove()
	case s.opponent>>cell&1 != 0:
		return s.ToMove().Opponent()
	}
	return game.Nobody
}

// Text implements game.Inscribed.
func (s State) Text(cell int) string { return s.Format(game.Action(cell)) }

// Format returns the number.
func (s State) Format(a game.Action) string { return strconv.Itoa(int(a) + 1) }

// Target implements game.Diagram.
func (s State) Target(a game.Action) game.Target { return game.Onto(int(a)) }

// Tally implements game.Tallied.
func (s State) Tally() string {
	return fmt.Sprintf("%d of %d", s.game.total-int(s.missing), s.game.total)
}
