package nim

import (
	"encoding/binary"
	"fmt"

	"tengen/game"
)

// State is an immutable, comparable position. The zero State is invalid; Game.Start returns the first position.
type State struct {
	game  *Game
	piles [MaxPiles]uint8 // 0 beyond the last pile
	ply   int16
	last  game.Action
}

// Legal appends the moves to dst, row by row from the top. A move is the cell of the lowest thing that it takes.
func (s State) Legal(dst []game.Action) []game.Action {
	size := s.game.size
	for row := range size.Rows {
		for pile := range size.Columns {
			if s.takes(pile, s.game.leaves(row)) {
				dst = append(dst, game.Action(row*size.Columns+pile))
			}
		}
	}
	return dst
}

// Play returns the position after the side to move takes the thing on a cell and all above it. It panics if a is
// illegal.
func (s State) Play(a game.Action) State {
	if a < 0 || int(a) >= s.game.Actions() || !s.takes(s.game.move(a)) {
		panic(fmt.Sprintf("%s: move #%d is not legal with the piles %v", s.game.name, a, s.Piles()))
	}
	pile, leaves := s.game.move(a)
	s.piles[pile] = uint8(leaves)
	s.ply++
	s.last = a
	return s
}

// takes reports whether a move may reduce a pile to the given number of things.
func (s State) takes(pile, leaves int) bool {
	taken := int(s.piles[pile]) - leaves
	return taken > 0 && (s.game.rule.Most == 0 || taken <= s.game.rule.Most)
}

func (s State) has(cell int) bool {
	pile, height := s.game.move(game.Action(cell))
	return height < int(s.piles[pile])
}

// Outcome is -1 once nothing is left, since the opponent took the last thing; +1 in misère Nim.
func (s State) Outcome() (z float32, over bool) {
	switch {
	case s.piles != [MaxPiles]uint8{}:
		return 0, false
	case s.game.rule.Misere:
		return 1, true
	}
	return -1, true
}

// ToMove implements game.State.
func (s State) ToMove() game.Side { return game.Mover(int(s.ply)) }

// Encode writes two planes: all things, and the top thing of each pile. They omit the side to move, which does not
// matter.
func (s State) Encode(planes []float32) {
	size := s.game.size
	if len(planes) != 2*size.Cells() {
		panic(fmt.Sprintf("%s: planes have %d elements; want %d", s.game.name, len(planes), 2*size.Cells()))
	}
	clear(planes)
	for pile, n := range s.piles[:size.Columns] {
		for height := range int(n) {
			planes[s.game.action(pile, height)] = 1
		}
		if n > 0 {
			planes[size.Cells()+int(s.game.action(pile, int(n)-1))] = 1
		}
	}
}

// Key packs the piles, one byte each, and the ply.
func (s State) Key() game.Key { return game.Key{binary.LittleEndian.Uint64(s.piles[:]), uint64(s.ply)} }

// Last implements game.State.
func (s State) Last() game.Action { return s.last }

// Ply implements game.State.
func (s State) Ply() int { return int(s.ply) }

// Game returns the game.
func (s State) Game() *Game { return s.game }

// Piles returns the number of things on each pile, 0 beyond the last pile.
func (s State) Piles() [MaxPiles]uint8 { return s.piles }

// Cell returns game.Nobody: things belong to no side.
func (s State) Cell(int) game.Side { return game.Nobody }

// Text returns "|" for a cell with a thing, else nothing.
func (s State) Text(cell int) string {
	if s.has(cell) {
		return "|"
	}
	return ""
}

// Target implements game.Diagram.
func (s State) Target(a game.Action) game.Target { return game.Onto(int(a)) }

// Format returns the number of a pile and how many things the move leaves: "2:1" takes all but one of the second pile.
func (s State) Format(a game.Action) string {
	pile, leaves := s.game.move(a)
	return fmt.Sprintf("%d:%d", pile+1, leaves)
}

// EndsOdd implements solver.Ending: the winner makes the last move, or the loser in misère Nim.
func (s State) EndsOdd(winner game.Side) bool { return (winner == game.First) != s.game.rule.Misere }
