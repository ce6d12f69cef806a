package predictwinner

import (
	"fmt"
	"math/bits"

	"tengen/game"
)

// State is an immutable, comparable position. The zero State is invalid; Game.Start returns the first position.
type State struct {
	game          *Game
	own, opponent uint32 // numbers taken by the side to move and by its opponent, cell i is bit i
	lead          int32  // sum of own minus sum of opponent
	last          game.Action
}

// Row returns the part of the row that is left, numbers[left:right].
func (s State) Row() (left, right int) {
	open := (uint32(1)<<len(s.game.numbers) - 1) &^ (s.own | s.opponent)
	if open == 0 {
		return 0, 0
	}
	return bits.TrailingZeros32(open), bits.Len32(open)
}

// Lead returns the sum of the side to move minus its opponent's sum.
func (s State) Lead() int { return int(s.lead) }

// Legal appends Left and, if two or more numbers are left, Right to dst.
func (s State) Legal(dst []game.Action) []game.Action {
	switch left, right := s.Row(); right - left {
	case 0:
		return dst
	case 1:
		return append(dst, Left)
	}
	return append(dst, Left, Right)
}

// Play returns the position after the side to move takes the number at one end. It panics if a is illegal.
func (s State) Play(a game.Action) State {
	left, right := s.Row()
	if n := right - left; a != Left && a != Right || n == 0 || n == 1 && a == Right {
		panic(fmt.Sprintf("%s: move #%d with %d numbers left", s.game.name, a, n))
	}
	taken := left
	if a == Right {
		taken = right - 1
	}
	return State{
		game: s.game, own: s.opponent, opponent: s.own | 1<<taken, lead: -s.lead - s.game.numbers[taken],
		last: a,
	}
}

// Outcome is the sign of the lead once no number is left.
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

// ToMove implements game.State.
func (s State) ToMove() game.Side { return game.Mover(s.Ply()) }

// Encode writes three planes: the numbers left, taken by the side to move, and taken by its opponent. The planes omit
// the values of the numbers, which never change; the network learns them.
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

// Key implements game.State.
func (s State) Key() game.Key { return game.Key{uint64(s.own), uint64(s.opponent)} }

// Last implements game.State.
func (s State) Last() game.Action { return s.last }

// Ply implements game.State.
func (s State) Ply() int { return bits.OnesCount32(s.own | s.opponent) }

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
func (s State) Text(cell int) string { return s.game.texts[cell] }

// Target implements game.Diagram.
func (s State) Target(a game.Action) game.Target {
	left, right := s.Row()
	if a == Left {
		return game.Onto(left)
	}
	return game.Onto(right - 1)
}

// Format returns "L" or "R".
func (s State) Format(a game.Action) string {
	if a == Left {
		return "L"
	}
	return "R"
}

// Tally implements game.Tallied.
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

// EndsOdd implements solver.Ending: every game takes all numbers.
func (s State) EndsOdd(game.Side) bool { return len(s.game.numbers)%2 == 1 }
