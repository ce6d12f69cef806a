package players

import (
	"context"
	"math/rand/v2"

	"tengen/game"
)

// randomSearcher plays uniformly random legal moves.
type randomSearcher[S game.State[S]] struct {
	rootOnly[S]
	actions int
	legal   []game.Action // scratch
}

func newRandom[S game.State[S]](actions int) Algorithm[S] {
	return sequential[S](func() singleSearcher[S] { return &randomSearcher[S]{actions: actions} })
}

func (r *randomSearcher[S]) search(context.Context, Limit, func(bool)) error { return nil }

// Choose implements Searcher.
func (r *randomSearcher[S]) Choose(rng *rand.Rand) game.Action {
	r.legal = r.root.Legal(r.legal[:0])
	return r.legal[rng.IntN(len(r.legal))]
}

// Analysis implements Searcher.
func (r *randomSearcher[S]) Analysis(rng *rand.Rand) *Analysis {
	a := &Analysis{Moves: r.stats(), Policy: make([]float32, r.actions)}
	for i, m := range a.Moves {
		a.Moves[i].Prior = 1 / float32(len(a.Moves))
		a.Policy[m.Action] = 1
	}
	return a.conclude(r.Choose(rng))
}
