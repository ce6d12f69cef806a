package rules

import (
	"fmt"

	"tengen/game"
)

// State is a position: a small value that nothing changes. Change: what the rules must remember, such as a right that
// is lost, or which step of a turn comes next, is a field here and a part of Key and Encode.
type State struct {
	game       *Game
	own, other uint64 // the pieces of the side to move and of the other side, as the side to move sees them
	ply        int16
	last       game.Action
}

// target returns the cell where a piece of the side to move arrives, or -1 if the move is illegal.
func (s State) target(cell, kind int) int {
	to := s.game.size.Step(cell, steps[kind][0], steps[kind][1])
	if s.own>>cell&1 == 0 || to >= 0 && s.own>>to&1 != 0 {
		return -1
	}
	return to
}

// Legal appends the legal moves in ascending order: none after the end, at least one before. Change: where a side may
// have no move, either that ends the game (see Outcome), or a pass is a move. A capture that is forced excludes the
// other moves here.
func (s State) Legal(dst []game.Action) []game.Action {
	if _, over := s.Outcome(); over {
		return dst
	}
	for cell := range s.game.size.Cells() {
		for kind := range steps {
			if s.target(cell, kind) >= 0 {
				dst = append(dst, s.game.action(cell, kind))
			}
		}
	}
	return dst
}

// Play returns the position after a legal move, in which the other side is to move. Change: what a move does besides.
func (s State) Play(a game.Action) State {
	cell, kind := int(a)/len(steps), int(a)%len(steps)
	_, over := s.Outcome()
	if over || a < 0 || int(a) >= s.game.Actions() || s.target(cell, kind) < 0 {
		panic(fmt.Sprintf("%s: move %d is illegal", s.game.Name(), a))
	}
	to := s.target(cell, kind)
	own, other := s.own&^(1<<cell)|1<<to, s.other&^(1<<to)
	return State{game: s.game, own: s.game.turn(other), other: s.game.turn(own), ply: s.ply + 1, last: a}
}

// Outcome says whether the game is over, and the result for the side to move. The winner has just moved, so that is -1.
// Change: other ends of the game come here; 0 and true is a draw.
func (s State) Outcome() (z float32, over bool) {
	if s.own == 0 || s.other&s.game.home != 0 {
		return -1, true
	}
	return 0, int(s.ply) >= s.game.MaxPlies()
}

// Planes returns the number of planes of Encode.
func (g *Game) Planes() int { return 2 }

// Encode writes what the network sees, a 0 or 1 for each cell and plane: the pieces of the side to move, then those of
// the other side. Change: each kind of piece needs two planes, and whatever else decides which moves are legal a plane
// full of 0 or 1. The number of plies until the draw may stay out.
func (s State) Encode(planes []float32) {
	cells := s.game.size.Cells()
	if len(planes) != s.game.Planes()*cells {
		panic(fmt.Sprintf("%s: planes have %d elements; want %d", s.game.Name(), len(planes), s.game.Planes()*cells))
	}
	for cell := range cells {
		planes[cell], planes[cells+cell] = float32(s.own>>cell&1), float32(s.other>>cell&1)
	}
}

// Key tells positions apart. The same board at another ply is another position here, because the draw is nearer, so the
// key has the ply. Without it, a search would take the two for one. Change: absorb every field that matters but last.
func (s State) Key() game.Key {
	return game.Key{0, 1}.Absorb(uint64(s.ply)).Absorb(s.own).Absorb(s.other)
}

// Cell returns the side that holds a cell of the board.
func (s State) Cell(cell int) game.Side {
	cell = s.game.Seen(cell, s.ToMove())
	return s.ToMove() * (game.Side(s.own>>cell&1) - game.Side(s.other>>cell&1))
}

// Target returns the cells of the board where a move begins and ends, for those who draw or click it.
func (s State) Target(a game.Action) game.Target {
	cell, kind := int(a)/len(steps), int(a)%len(steps)
	return game.Target{From: s.game.Seen(cell, s.ToMove()), To: s.game.Seen(s.target(cell, kind), s.ToMove())}
}

// Format returns the name of a move, such as "a1b2". Each legal move needs another.
func (s State) Format(a game.Action) string {
	t := s.Target(a)
	return s.game.size.CellName(t.From) + s.game.size.CellName(t.To)
}

// SidesAlike declares that the rules are the same for both sides.
func (s State) SidesAlike() {}

// ToMove returns the side to move. The sides take turns; one that must wait passes.
func (s State) ToMove() game.Side { return game.Mover(int(s.ply)) }

// Last returns the move that led here.
func (s State) Last() game.Action { return s.last }

// Ply returns the number of moves so far.
func (s State) Ply() int { return int(s.ply) }
