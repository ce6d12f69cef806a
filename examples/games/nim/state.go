package nim

import (
	"encoding/binary"
	"fmt"

	"tengen/game"
)

// State is a position: an immutable, comparable value. Positions come from Game.Start; the zero State is none.
type State struct {
	game  *Game
	piles [MaxPiles]uint8 // 0 beyond the last
	ply   int16
	last  game.Action
}

// Legal appends the cells of the things that a move may take as its lowest to dst, row by row from the top.
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

// Play returns the position after the side to move has taken the thing on a cell and those above. It panics when there is
// none, which is so when the game is over.
func (s State) Play(a game.Action) State {
	if a < 0 || int(a) >= s.game.Actions() || !s.takes(s.game.move(a)) {
		panic(fmt.Sprintf("%s: move %s is not legal with the piles %v", s.game.name, s.game.FormatAction(a), s.Piles()))
	}
	pile, leaves := s.game.move(a)
	s.piles[pile] = uint8(leaves)
	s.ply++
	s.last = a
	return s
}

// takes reports whether a move may leave so many things of a pile.
func (s State) takes(pile, leaves int) bool {
	taken := int(s.piles[pile]) - leaves
	return taken > 0 && (s.game.rule.Most == 0 || taken <= s.game.rule.Most)
}

// has reports whether there is a thing on a cell.
func (s State) has(cell int) bool {
	pile, height := s.game.move(game.Action(cell))
	return height < int(s.piles[pile])
}

// Outcome is -1 when nothing is left, as the opponent has taken the last thing; +1 in misère Nim.
func (s State) Outcome() (z float32, over bool) {
	switch {
	case s.piles != [MaxPiles]uint8{}:
		return 0, false
	case s.game.rule.Misere:
		return 1, true
	}
	return -1, true
}

// ToMove is the first player at even plies.
func (s State) ToMove() game.Side { return game.Mover(int(s.ply)) }

// Encode writes two planes: the things, and the uppermost thing of each pile alone. Whose turn it is makes no difference.
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

// Key is the piles, a byte each, and the ply.
func (s State) Key() game.Key { return game.Key{binary.LittleEndian.Uint64(s.piles[:]), uint64(s.ply)} }

// Last is the last move.
func (s State) Last() game.Action { return s.last }

// Ply is the number of moves.
func (s State) Ply() int { return int(s.ply) }

// Game is the Nim that is played.
func (s State) Game() *Game { return s.game }

// Piles is the number of things of each pile, 0 beyond the last pile.
func (s State) Piles() [MaxPiles]uint8 { return s.piles }

// Cell is Nobody: who has taken a thing makes no difference.
func (s State) Cell(int) game.Side { return game.Nobody }

// LastCell is where the lowest thing lay that was taken last, -1 in the starting position.
func (s State) LastCell() int { return int(s.last) }

// Text is a stroke for each thing that is there.
func (s State) Text(cell int) string {
	if s.has(cell) {
		return "|"
	}
	return ""
}

// Target is the lowest thing that a takes.
func (s State) Target(a game.Action) int { return int(a) }

// Tally has nothing to add to the board.
func (s State) Tally() string { return "" }

// EndsOdd implements solver.Ending: the winner makes the last move, in misère Nim the loser.
func (s State) EndsOdd(winner game.Side) bool { return (winner == game.First) != s.game.rule.Misere }
