package env

import (
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/random"
)

type slot[S game.State[S]] struct {
	position S
	legal    []game.Action // empty if the game is over; capacity for all actions
	moves    []game.Action // since the start; capacity for the longest game
	over     bool
	outcome  int8      // for the first player, if over
	reward   float32   // from the last step
	caller   game.Side // the caller's side; Nobody: both sides

	seed, number uint64    // together determine the randomness of the next game
	source       *rand.PCG // source for rng
	rng          *rand.Rand
}

func newSlot[S game.State[S]](g game.Game[S], seed uint64) slot[S] {
	s := slot[S]{
		position: g.Start(),
		legal:    make([]game.Action, 0, g.Actions()),
		moves:    make([]game.Action, 0, g.MaxPlies()),
		seed:     seed,
		source:   new(rand.PCG),
	}
	s.legal = s.position.Legal(s.legal)
	s.rng = rand.New(s.source)
	return s
}

// copy makes s a deep copy of from, reusing its memory.
func (s *slot[S]) copy(from *slot[S]) {
	legal, moves, source, rng := s.legal, s.moves, s.source, s.rng
	*s = *from
	s.legal, s.moves = append(legal[:0], from.legal...), append(moves[:0], from.moves...)
	s.source, s.rng = source, rng
	*source = *from.source
}

func (s *slot[S]) begin(start S, side game.Side, alone bool) {
	random.Begin(s.source, s.seed, random.Games, s.number)
	s.number++
	s.caller = side
	if side == game.Nobody && !alone {
		s.caller = game.Mover(s.rng.IntN(2))
	}
	s.position, s.moves = start, s.moves[:0]
	s.legal = start.Legal(s.legal[:0])
	s.over, s.outcome, s.reward = false, 0, 0
}

// mover returns the side rewarded for a move made now.
func (s *slot[S]) mover() game.Side {
	if s.caller == game.Nobody {
		return s.position.ToMove()
	}
	return s.caller
}

func (s *slot[S]) allows(a game.Action) bool {
	_, legal := slices.BinarySearch(s.legal, a)
	return legal
}

// play makes a legal move. The reward is for viewer.
func (s *slot[S]) play(a game.Action, viewer game.Side) {
	s.position = s.position.Play(a)
	s.moves = append(s.moves, a)
	s.legal = s.position.Legal(s.legal[:0])
	if z, over := s.position.Outcome(); over {
		s.end(game.FirstPlayerOutcome(z, s.position.ToMove()), viewer)
	}
}

func (s *slot[S]) end(outcome int8, viewer game.Side) {
	s.over, s.outcome, s.legal = true, outcome, s.legal[:0]
	s.reward = float32(outcome) * float32(viewer)
}
