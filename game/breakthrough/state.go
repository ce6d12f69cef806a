package breakthrough

import (
	"fmt"
	"math/bits"

	"tengen/game"
)

// stride is the number of bits of a row.
const stride = 8

// steps is the number of steps of a piece: ahead to the left, straight and to the right, as the side to move sees it.
const steps = 3

// State is a position, from Game.Start or Game.FromStones. The zero State is invalid.
type State struct {
	game          *Game
	own, opponent uint64 // pieces of the side to move and its opponent, as the side to move sees the board
	last          game.Action
	ply           int16
}

// ahead returns what a step adds to a piece's bit.
func ahead(step int) int { return step - stride - 1 }

// movable returns the pieces that can take each step.
func (s State) movable() (pieces [steps]uint64) {
	if _, over := s.Outcome(); over {
		return pieces
	}
	return [steps]uint64{
		s.own &^ s.game.left &^ (s.own << (stride + 1)),
		s.own &^ ((s.own | s.opponent) << stride),
		s.own &^ s.game.right &^ (s.own << (stride - 1)),
	}
}

// Legal appends the moves, unless the game is over.
func (s State) Legal(dst []game.Action) []game.Action {
	movable := s.movable()
	for rest := movable[0] | movable[1] | movable[2]; rest != 0; rest &= rest - 1 {
		bit := bits.TrailingZeros64(rest)
		first := game.Action(s.game.cell(bit) * steps)
		for step, pieces := range movable {
			if pieces>>bit&1 != 0 {
				dst = append(dst, first+game.Action(step))
			}
		}
	}
	return dst
}

// Play returns the position after a. It panics if a is illegal.
func (s State) Play(a game.Action) State {
	if a < 0 || int(a) >= s.game.Actions() {
		panic(fmt.Sprintf("%s: move #%d is not on the board", s.game.name, a))
	}
	from, step := s.game.bit(int(a)/steps), int(a)%steps
	if s.movable()[step]>>from&1 == 0 {
		panic(s.refusal(a))
	}
	to := uint64(1) << (from + ahead(step))
	own := s.own&^(1<<from) | to
	return State{game: s.game, own: s.game.turned(s.opponent &^ to), opponent: s.game.turned(own), last: a, ply: s.ply + 1}
}

func (s State) refusal(a game.Action) string {
	reason := "leaves the board, or its end is taken"
	if _, over := s.Outcome(); over {
		reason = "comes after the end of the game"
	} else if s.own>>s.game.bit(int(a)/steps)&1 == 0 {
		reason = "begins where the side to move has no piece"
	}
	return fmt.Sprintf("%s: move #%d %s", s.game.name, a, reason)
}

// bit returns a cell's bit.
func (g *Game) bit(cell int) int { return cell/g.size.Columns*stride + cell%g.size.Columns }

// cell is the inverse of bit.
func (g *Game) cell(bit int) int { return bit/stride*g.size.Columns + bit%stride }

// turned returns the pieces as the other side sees them, with the rows mirrored.
func (g *Game) turned(pieces uint64) uint64 {
	return bits.ReverseBytes64(pieces) >> (stride * (MaxRows - g.size.Rows))
}

// Outcome returns -1 once the opponent, who moved last, has reached its last row or captured all pieces.
func (s State) Outcome() (z float32, over bool) {
	if s.own == 0 || s.opponent&s.game.home != 0 {
		return -1, true
	}
	return 0, false
}

// ToMove returns the side to move.
func (s State) ToMove() game.Side { return game.Mover(int(s.ply)) }

const planes = 2

// Encode writes the pieces of the side to move and its opponent, as the side to move sees the board.
func (s State) Encode(dst []float32) {
	cells := s.game.size.Cells()
	if len(dst) != planes*cells {
		panic(fmt.Sprintf("%s: planes have %d elements; want %d", s.game.name, len(dst), planes*cells))
	}
	clear(dst)
	for i, pieces := range [planes]uint64{s.own, s.opponent} {
		for ; pieces != 0; pieces &= pieces - 1 {
			dst[i*cells+s.game.cell(bits.TrailingZeros64(pieces))] = 1
		}
	}
}

// Key returns a hash of the pieces and the ply: the same pieces can come at different plies.
func (s State) Key() game.Key {
	return game.Key{0, 1}.Absorb(uint64(s.ply)).Absorb(s.own).Absorb(s.opponent)
}

// SidesAlike declares that both sides move alike, towards row 0.
func (s State) SidesAlike() {}

// Cell returns the side whose piece is on a cell.
func (s State) Cell(cell int) game.Side {
	bit := s.game.bit(s.game.Seen(cell, s.ToMove()))
	switch {
	case s.own>>bit&1 != 0:
		return s.ToMove()
	case s.opponent>>bit&1 != 0:
		return s.ToMove().Opponent()
	}
	return game.Nobody
}

// Format returns both cells of a move, such as "a2b3". Letters name the columns, and rows count from the bottom.
func (s State) Format(a game.Action) string {
	t := s.Target(a)
	return s.game.size.CellName(t.From) + s.game.size.CellName(t.To)
}

// Target returns both cells of a move.
func (s State) Target(a game.Action) game.Target {
	g, cell, step := s.game, int(a)/steps, int(a)%steps
	return game.Target{From: g.Seen(cell, s.ToMove()), To: g.Seen(g.cell(g.bit(cell)+ahead(step)), s.ToMove())}
}

// Last returns the last move, as the side that made it saw the board, or game.None.
func (s State) Last() game.Action { return s.last }

// Ply returns the number of moves.
func (s State) Ply() int { return int(s.ply) }
