package mnk

import (
	"fmt"
	"math/bits"

	"tengen/game"
)

// State is a position, from Game.Start or Game.FromStones. The zero State is invalid.
type State struct {
	game   *Game
	stones [2]bitboard // by player
	last   game.Action
	ply    int16 // stones on the board
	mover  uint8 // 0 the first player, 1 the second
	won    bool  // by the player who moved last
}

// Legal appends the empty cells to dst, unless the game is over.
func (s State) Legal(dst []game.Action) []game.Action {
	if s.won {
		return dst
	}
	for w := range s.game.words {
		empty := s.game.board[w] &^ (s.stones[0][w] | s.stones[1][w])
		for ; empty != 0; empty &= empty - 1 {
			dst = append(dst, game.Action(w<<6+bits.TrailingZeros64(empty)))
		}
	}
	return dst
}

// Play returns the position with a stone on cell a. It panics if the cell is taken or off the board, or the game over.
func (s State) Play(a game.Action) State {
	cell := int(a)
	if s.won || cell < 0 || cell >= s.game.cells || s.stones[0].has(cell) || s.stones[1].has(cell) {
		panic(s.refusal(a))
	}
	own := &s.stones[s.mover&1]
	own.add(cell)
	s.last = a
	s.ply++
	s.mover ^= 1
	s.won = s.game.completes(own, cell) && (s.game.rule == Freestyle || s.game.wins(own, &s.stones[s.mover&1]))
	return s
}

func (s State) refusal(a game.Action) string {
	reason := "is not on the board"
	if _, over := s.Outcome(); over {
		reason = "comes after the end of the game"
	} else if a >= 0 && int(a) < s.game.cells {
		reason = "is on a taken cell"
	}
	return fmt.Sprintf("%s: move #%d %s", s.game.name, a, reason)
}

// completes reports whether the stone on cell is part of k or more in a row.
func (g *Game) completes(stones *bitboard, cell int) bool {
	for i, stride := range g.strides {
		reach := g.reach[cell][i]
		run := 1
		for n, next := reach.ahead, cell+stride; n > 0 && stones.has(next); n-- {
			run++
			next += stride
		}
		for n, next := reach.back, cell-stride; n > 0 && stones.has(next); n-- {
			run++
			next -= stride
		}
		if run >= g.k {
			return true
		}
	}
	return false
}

// Outcome returns -1 once the opponent, who moved last, has won, and 0 if the board is full.
func (s State) Outcome() (z float32, over bool) {
	if s.won {
		return -1, true
	}
	return 0, int(s.ply) == s.game.cells
}

// ToMove returns the side to move.
func (s State) ToMove() game.Side { return game.Mover(int(s.mover)) }

// Encode writes the planes that game.PlacementPlanes describes.
func (s State) Encode(planes []float32) {
	cells := s.game.cells
	if len(planes) != game.PlacementPlanes*cells {
		panic(fmt.Sprintf("%s: planes have %d elements; want %d", s.game.name, len(planes), game.PlacementPlanes*cells))
	}
	clear(planes)
	mover := s.mover & 1
	for w := range s.game.words {
		fill(planes[:cells], w, s.stones[mover][w])
		fill(planes[cells:2*cells], w, s.stones[1-mover][w])
	}
	if s.last != game.None {
		planes[2*cells+int(s.last)] = 1
	}
	if mover == 0 {
		for i := range planes[3*cells:] {
			planes[3*cells+i] = 1
		}
	}
}

func fill(plane []float32, w int, set uint64) {
	for ; set != 0; set &= set - 1 {
		plane[w<<6+bits.TrailingZeros64(set)] = 1
	}
}

// Key returns the bitboards of the side to move and its opponent, or a hash of them above 64 cells.
func (s State) Key() game.Key {
	mover := s.mover & 1
	own, opponent := &s.stones[mover], &s.stones[1-mover]
	if s.game.words == 1 {
		return game.Key{own[0], opponent[0]}
	}
	key := game.Key{0, 1}
	for w := range s.game.words {
		key = key.Absorb(own[w]).Absorb(opponent[w])
	}
	return key
}

// Cell returns the side whose stone is on a cell.
func (s State) Cell(cell int) game.Side {
	switch {
	case s.stones[0].has(cell):
		return game.First
	case s.stones[1].has(cell):
		return game.Second
	}
	return game.Nobody
}

// Target returns the cell a.
func (s State) Target(a game.Action) game.Target { return game.Onto(int(a)) }

// Format returns the column's letter, from a with none left out, and the row's number, from 1 at the bottom.
func (s State) Format(a game.Action) string { return s.game.size.CellName(int(a)) }

// StonesStay declares a game.Placement.
func (s State) StonesStay() {}

// Lines returns all lines of k cells.
func (s State) Lines() *game.LineSet { return &s.game.lines }

// Stones implements game.Alignment.
func (s State) Stones(first, second []uint64) {
	copy(first, s.stones[0][:s.game.words])
	copy(second, s.stones[1][:s.game.words])
}

// Last returns the last stone's cell, or game.None if none or unknown.
func (s State) Last() game.Action { return s.last }

// Ply returns the number of stones.
func (s State) Ply() int { return int(s.ply) }
