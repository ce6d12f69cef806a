package arena

import (
	"context"
	"math/rand/v2"

	"tengen/game"
)

// NewRandom returns a player that takes every legal move with the same probability.
func NewRandom[S game.State[S]]() Player[S] {
	return &randomPlayer[S]{}
}

type randomPlayer[S game.State[S]] struct {
	legal []game.Action // scratch
}

// Choose implements Player.
func (p *randomPlayer[S]) Choose(_ context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error {
	for i, s := range positions {
		p.legal = s.Legal(p.legal[:0])
		moves[i] = p.legal[rngs[i].IntN(len(p.legal))]
	}
	return nil
}
