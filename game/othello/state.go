package othello

import (
	"cmp"
	"fmt"
	"math/bits"

	"tengen/game"
)

// State is a position, from Game.Start or Game.FromStones. The zero State is invalid.
type State struct {
	game          *Game
	own, opponent set // discs of the side to move and its opponent
	moves         set // the cells where the side to move may put a disc
	last          game.Action
	ply           int16
	over          bool
}

// Legal appends the cells where a disc turns others over to dst, or the pass if only the opponent has such cells.
func (s State) Legal(dst []game.Action) []game.Action {
	if s.moves == (set{}) && !s.over {
		return append(dst, s.game.pass())
	}
	for w, moves := range s.moves.words() {
		for ; moves != 0; moves &= moves - 1 {
			dst = append(dst, game.Action(w<<6+bits.TrailingZeros64(moves)))
		}
	}
	return dst
}

// Play returns the position after a disc on cell a, or after a pass. It panics if no disc would be turned over there,
// if the side to move need not pass, or if the game is over.
func (s State) Play(a game.Action) State {
	g := s.game
	switch {
	case a == g.pass() && s.moves == (set{}) && !s.over:
		s.own, s.opponent = s.opponent, s.own
	case a >= 0 && a < g.pass() && s.moves.has(int(a)):
		flips := g.flips(int(a), s.own, s.opponent)
		own := s.own.or(flips).or(single(int(a)))
		s.own, s.opponent = s.opponent.without(flips), own
	default:
		panic(s.refusal(a))
	}
	s.moves = g.moves(s.own, s.opponent)
	s.over = s.moves == (set{}) && g.moves(s.opponent, s.own) == (set{})
	s.last = a
	s.ply++
	return s
}

func (s State) refusal(a game.Action) string {
	reason := "turns no disc over"
	switch {
	case s.over:
		reason = "comes after the end of the game"
	case a < 0 || a > s.game.pass():
		return fmt.Sprintf("%s: move #%d is not on the board", s.game.name, a)
	case a == s.game.pass():
		reason = "is not allowed to a side that has other moves"
	}
	return fmt.Sprintf("%s: move %s %s", s.game.name, s.Format(a), reason)
}

// Outcome compares the numbers of discs once neither side can put one.
func (s State) Outcome() (z float32, over bool) {
	if !s.over {
		return 0, false
	}
	return float32(cmp.Compare(s.own.count(), s.opponent.count())), true
}

// Margin returns how many discs more the first player has than the second.
func (s State) Margin() float64 {
	return float64(int(s.ToMove()) * (s.own.count() - s.opponent.count()))
}

// ToMove returns the side to move, which may have to pass.
func (s State) ToMove() game.Side { return game.Mover(int(s.ply)) }

const planes = 4

// Encode writes the discs of the side to move and its opponent, then the cells where each could put a disc if it were
// to move.
func (s State) Encode(dst []float32) {
	cells := s.game.size.Cells()
	if len(dst) != planes*cells {
		panic(fmt.Sprintf("%s: planes have %d elements; want %d", s.game.name, len(dst), planes*cells))
	}
	clear(dst)
	for i, plane := range [planes]set{s.own, s.opponent, s.moves, s.game.moves(s.opponent, s.own)} {
		for w, rest := range plane.words() {
			for ; rest != 0; rest &= rest - 1 {
				dst[i*cells+w<<6+bits.TrailingZeros64(rest)] = 1
			}
		}
	}
}

// Key returns a hash of the discs and the ply: after passes, the same discs can come at different plies.
func (s State) Key() game.Key {
	key := game.Key{0, 1}.Absorb(uint64(s.ply)).Absorb(s.own.a).Absorb(s.opponent.a)
	if s.game.wide {
		key = key.Absorb(s.own.b).Absorb(s.opponent.b).Absorb(s.own.c).Absorb(s.opponent.c)
	}
	return key
}

// Cell returns the side whose disc is on a cell.
func (s State) Cell(cell int) game.Side {
	switch {
	case s.own.has(cell):
		return s.ToMove()
	case s.opponent.has(cell):
		return s.ToMove().Opponent()
	}
	return game.Nobody
}

// Format returns a cell, such as "f5", or "pass". Letters name the columns, and rows count from the top.
func (s State) Format(a game.Action) string {
	if a == s.game.pass() {
		return game.Pass
	}
	return fmt.Sprintf("%c%d", 'a'+int(a)%s.game.size.Columns, int(a)/s.game.size.Columns+1)
}

// Target returns the cell of a disc, or the word of a pass.
func (s State) Target(a game.Action) game.Target {
	if a == s.game.pass() {
		return game.Target{From: -1, To: -1, Word: game.Pass}
	}
	return game.Onto(int(a))
}

// SidesAlike declares that discs have the same moves in either colour.
func (s State) SidesAlike() {}

// Tally returns the numbers of discs.
func (s State) Tally() string {
	first, second := s.own.count(), s.opponent.count()
	if s.ToMove() == game.Second {
		first, second = second, first
	}
	return fmt.Sprintf("%v %d, %v %d", game.First, first, game.Second, second)
}

// Last returns the last move, or game.None.
func (s State) Last() game.Action { return s.last }

// Ply returns the number of discs put and passes.
func (s State) Ply() int { return int(s.ply) }
