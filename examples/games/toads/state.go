package toads

import (
	"fmt"

	"tengen/game"
)

// State is a position.
type State struct {
	game       *Game
	own, other uint64 // the animals of the side to move and of its opponent, as the side to move sees them: cell i is bit i
	action     game.Action
	ply        int16
}

// movable returns the animals that can step and those that can jump.
func (s State) movable() [kinds]uint64 {
	empty := ^(s.own | s.other)
	stay := s.game.last
	return [kinds]uint64{s.own &^ stay & (empty >> 1), s.own &^ (stay | stay>>1) & (s.other >> 1) & (empty >> 2)}
}

// Legal implements game.State.
func (s State) Legal(dst []game.Action) []game.Action {
	movable := s.movable()
	for cell := range s.game.size.Cells() {
		for kind, animals := range movable {
			if animals>>cell&1 != 0 {
				dst = append(dst, game.Action(kinds*cell+kind))
			}
		}
	}
	return dst
}

// Play returns the position after a. It panics if a is illegal.
func (s State) Play(a game.Action) State {
	cell, kind := int(a)/kinds, int(a)%kinds
	if a < 0 || s.movable()[kind]>>cell&1 == 0 {
		panic(fmt.Sprintf("toads: move %d on %x, %x", a, s.own, s.other))
	}
	own := s.own&^(1<<cell) | 1<<(cell+kind+1)
	return State{game: s.game, own: s.game.turned(s.other), other: s.game.turned(own), action: a, ply: s.ply + 1}
}

// Outcome returns -1 once the side to move cannot move.
func (s State) Outcome() (z float32, over bool) {
	if s.movable() == [kinds]uint64{} {
		return -1, true
	}
	return 0, false
}

// Encode writes the animals of the side to move and of its opponent.
func (s State) Encode(planes []float32) {
	cells := s.game.size.Cells()
	if len(planes) != 2*cells {
		panic(fmt.Sprintf("toads: planes have %d elements; want %d", len(planes), 2*cells))
	}
	for cell := range cells {
		planes[cell], planes[cells+cell] = float32(s.own>>cell&1), float32(s.other>>cell&1)
	}
}

// Key is the animals. They determine the ply: where they stand tells how far they have gone, and each pair of a toad and a
// frog that has changed its order has jumped once.
func (s State) Key() game.Key { return game.Key{s.own, s.other} }

// SidesAlike implements game.Alike.
func (s State) SidesAlike() {}

// Cell implements game.Diagram.
func (s State) Cell(cell int) game.Side {
	cell = s.game.Seen(cell, s.ToMove())
	return s.ToMove() * (game.Side(s.own>>cell&1) - game.Side(s.other>>cell&1))
}

// Target implements game.Diagram.
func (s State) Target(a game.Action) game.Target {
	cell, kind, mover := int(a)/kinds, int(a)%kinds, s.ToMove()
	return game.Target{From: s.game.Seen(cell, mover), To: s.game.Seen(cell+kind+1, mover)}
}

// Format returns both cells of a move, such as "a2b2".
func (s State) Format(a game.Action) string {
	t := s.Target(a)
	return s.game.size.CellName(t.From) + s.game.size.CellName(t.To)
}

// ToMove implements game.State.
func (s State) ToMove() game.Side { return game.Mover(int(s.ply)) }

// Last implements game.State.
func (s State) Last() game.Action { return s.action }

// Ply implements game.State.
func (s State) Ply() int { return int(s.ply) }
