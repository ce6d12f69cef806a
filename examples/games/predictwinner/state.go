package predictwinner

import (
	"fmt"
	"math/bits"

	"tengen/game"
)

// State is a position: an immutable, comparable value. Positions come from Game.Start; the zero State is none.
type State struct {
	game          *Game
	own, opponent uint32 // the numbers that the side to move and the other have taken; the i-th from the left is bit i
	lead          int32  // the sum of own less that of opponent
	last          game.Action
	lastCell      int8 // where the number lay that it took, -1 in the starting position
}

// Row is the part of the row that is left, numbers[left:right].
func (s State) Row() (left, right int) {
	open := (uint32(1)<<len(s.game.numbers) - 1) &^ (s.own | s.opponent)
	if open == 0 {
		return 0, 0
	}
	return bits.TrailingZeros32(open), bits.Len32(open)
}

// Lead is the sum of the side to move less that of its opponent.
func (s State) Lead() int { return int(s.lead) }

// Legal appends Left and, where two numbers or more are left, Right.
func (s State) Legal(dst []game.Action) []game.Action {
	switch left, right := s.Row(); right - left {
	case 0:
		return dst
	case 1:
		return append(dst, Left)
	}
	return append(dst, Left, Right)
}

// Play returns the position after the side to move has taken the number at an end. It panics when that is illegal.
func (s State) Play(a game.Action) State {
	left, right := s.Row()
	if n := right - left; a != Left && a != Right || n == 0 || n == 1 && a == Right {
		panic(fmt.Sprintf("%s: move %s with %d numbers left", s.game.name, s.game.FormatAction(a), n))
	}
	taken := left
	if a == Right {
		taken = right - 1
	}
	return State{
		game: s.game, own: s.opponent, opponent: s.own | 1<<taken, lead: -s.lead - s.game.numbers[taken], last: a, lastCell: int8(taken),
	}
}

// Outcome tells by the lead when no number is left.
func (s State) Outcome() (z float32, over bool) {
	switch left, right := s.Row(); {
	case left < right:
		return 0, false
	case s.lead > 0:
		return 1, true
	case s.lead < 0:
		return -1, true
	}
	return 0, true
}

// ToMove is the first player at even plies.
func (s State) ToMove() game.Side { return game.Mover(s.Ply()) }

// Encode writes three planes: the numbers that are left, those that the side to move has taken, and those of its opponent. What
// the numbers are is the same all game long, and so for the network to find out.
func (s State) Encode(planes []float32) {
	n := len(s.game.numbers)
	if len(planes) != 3*n {
		panic(fmt.Sprintf("%s: planes have %d elements; want %d", s.game.name, len(planes), 3*n))
	}
	for i := range n {
		own, opponent := s.own>>i&1, s.opponent>>i&1
		planes[i], planes[n+i], planes[2*n+i] = float32(1-own-opponent), float32(own), float32(opponent)
	}
}

// Key is the numbers of the side to move and those of its opponent.
func (s State) Key() game.Key { return game.Key{uint64(s.own), uint64(s.opponent)} }

// Last is the last move.
func (s State) Last() game.Action { return s.last }

// Ply is the number of numbers taken.
func (s State) Ply() int { return bits.OnesCount32(s.own | s.opponent) }

// Game is the row that is played.
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

// LastCell is where the last number lay that was taken, -1 in the starting position.
func (s State) LastCell() int { return int(s.lastCell) }

// Text is a number, which stays when it is taken.
func (s State) Text(cell int) string { return s.game.texts[cell] }

// Target is the end that a takes.
func (s State) Target(a game.Action) int {
	left, right := s.Row()
	if a == Left {
		return left
	}
	return right - 1
}

// Tally is the sums so far.
func (s State) Tally() string {
	var sums [2]int32
	for i, n := range s.game.numbers {
		switch s.Cell(i) {
		case game.First:
			sums[0] += n
		case game.Second:
			sums[1] += n
		}
	}
	return fmt.Sprintf("first player %d, second player %d", sums[0], sums[1])
}

// EndsOdd implements solver.Ending: all numbers are taken, whoever wins.
func (s State) EndsOdd(game.Side) bool { return len(s.game.numbers)%2 == 1 }
