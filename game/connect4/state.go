package connect4

import (
	"fmt"
	"math/bits"
	"strconv"

	"tengen/game"
)

// State is a position, from Game.Start or Game.FromStones. The zero State is invalid.
type State struct {
	game          *Game
	own, opponent uint64 // stones of the side to move and its opponent
	last          move
}

// move is a played move. The struct leaves State with four fields, the most that the compiler keeps in registers.
type move struct {
	column game.Action // game.None if none or unknown
	wins   bool
}

// Legal appends the columns with room to dst, unless the game is over.
func (s State) Legal(dst []game.Action) []game.Action {
	if s.last.wins {
		return dst
	}
	empty := s.game.board &^ (s.own | s.opponent)
	for column := range s.game.size.Columns {
		if empty&s.game.column[column] != 0 {
			dst = append(dst, game.Action(column))
		}
	}
	return dst
}

// Play returns the position after a stone in column a. It panics if the column is full or off the board, or the game
// over.
func (s State) Play(a game.Action) State {
	if s.last.wins || uint(a) >= MaxCells {
		panic(s.refusal(a))
	}
	room := s.game.column[a] &^ (s.own | s.opponent)
	if room == 0 {
		panic(s.refusal(a))
	}
	own := s.own | room&-room // the lowest free cell
	return State{game: s.game, own: s.opponent, opponent: own, last: move{a, s.game.runs.in(own)}}
}

func (s State) refusal(a game.Action) string {
	reason := "is not a column of the board"
	if _, over := s.Outcome(); over {
		reason = "comes after the end of the game"
	} else if a >= 0 && int(a) < s.game.size.Columns {
		reason = "is into a full column"
	}
	return fmt.Sprintf("%s: move #%d %s", s.game.name, a, reason)
}

// Outcome returns -1 once the opponent, who moved last, has won, and 0 if the board is full.
func (s State) Outcome() (z float32, over bool) {
	if s.last.wins {
		return -1, true
	}
	return 0, s.own|s.opponent == s.game.board
}

// ToMove returns the side to move.
func (s State) ToMove() game.Side { return game.Mover(s.Ply()) }

// Encode writes the planes that game.PlacementPlanes describes.
func (s State) Encode(planes []float32) {
	g := s.game
	cells := g.size.Cells()
	if len(planes) != game.PlacementPlanes*cells {
		panic(fmt.Sprintf("%s: planes have %d elements; want %d", g.name, len(planes), game.PlacementPlanes*cells))
	}
	clear(planes)
	g.draw(planes[:cells], s.own)
	g.draw(planes[cells:2*cells], s.opponent)
	if last := s.lastCell(); last >= 0 {
		planes[2*cells+last] = 1
	}
	if s.ToMove() == game.First {
		for i := range planes[3*cells:] {
			planes[3*cells+i] = 1
		}
	}
}

func (g *Game) draw(plane []float32, stones uint64) {
	for ; stones != 0; stones &= stones - 1 {
		plane[g.drawn[bits.TrailingZeros64(stones)]] = 1
	}
}

// Game returns the board of s.
func (s State) Game() *Game { return s.game }

// Key returns the bitboards of the side to move and its opponent.
func (s State) Key() game.Key { return game.Key{s.own, s.opponent} }

// Cell returns the side whose stone is on a cell.
func (s State) Cell(cell int) game.Side {
	bit := s.game.piled[cell]
	switch {
	case s.own>>bit&1 != 0:
		return s.ToMove()
	case s.opponent>>bit&1 != 0:
		return s.ToMove().Opponent()
	}
	return game.Nobody
}

// lastCell returns the last stone's cell, or -1 without one.
func (s State) lastCell() int {
	if s.last.column == game.None {
		return -1
	}
	stones := (s.own | s.opponent) & s.game.column[s.last.column]
	return s.game.drawn[bits.Len64(stones)-1]
}

// StonesStay declares a game.Placement.
func (s State) StonesStay() {}

// Target returns the lowest empty cell of column a, which must not be full.
func (s State) Target(a game.Action) game.Target {
	room := s.game.column[a] &^ (s.own | s.opponent)
	return game.Onto(s.game.drawn[bits.TrailingZeros64(room)])
}

// Format returns the column's number, from 1.
func (s State) Format(a game.Action) string { return strconv.Itoa(int(a) + 1) }

// Lines returns all lines of k cells.
func (s State) Lines() *game.LineSet { return &s.game.lines }

// Stones implements game.Alignment.
func (s State) Stones(first, second []uint64) {
	own, opponent := first, second
	if s.ToMove() == game.Second {
		own, opponent = second, first
	}
	own[0], opponent[0] = s.game.onBoard(s.own), s.game.onBoard(s.opponent)
}

// onBoard converts a bitboard to drawn cells.
func (g *Game) onBoard(stones uint64) (set uint64) {
	for ; stones != 0; stones &= stones - 1 {
		set |= 1 << g.drawn[bits.TrailingZeros64(stones)]
	}
	return set
}

// Last returns the last stone's column, or game.None if none or unknown.
func (s State) Last() game.Action { return s.last.column }

// Ply returns the number of stones.
func (s State) Ply() int { return bits.OnesCount64(s.own | s.opponent) }
