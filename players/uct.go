package players

import (
	"context"
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts/uct"
)

// uctSearcher searches by UCT with random playouts. It grows one tree, for the same strength on every machine.
type uctSearcher[S game.State[S]] struct {
	tree        *uct.Search[S]
	rng         *rand.Rand
	maxPlayouts int // fewer than every second adds a position, and slices may double
	actions     int
}

func newUCT[S game.State[S]](actions int, exploration float64, maxPlayouts int) Algorithm[S] {
	return sequential[S](func() singleSearcher[S] {
		return &uctSearcher[S]{tree: uct.New[S](exploration), maxPlayouts: maxPlayouts, actions: actions}
	})
}

// Reset implements Searcher.
func (u *uctSearcher[S]) Reset(l Line[S], rng *rand.Rand) {
	u.tree.Reset(l.Position)
	u.rng = rng
}

// Advance implements Searcher.
func (u *uctSearcher[S]) Advance(a game.Action) { u.tree.Advance(a) }

// Size implements Searcher.
func (u *uctSearcher[S]) Size() int { return u.tree.Playouts() }

// Playouts between checks of the context. The first batch is small for an early result.
const (
	firstPlayouts = 64
	nextPlayouts  = 512
)

func (u *uctSearcher[S]) search(ctx context.Context, l Limit, progress func(bool)) error {
	limit := u.maxPlayouts
	if l.Simulations > 0 {
		limit = min(limit, l.Simulations)
	}
	if len(u.tree.Stats(nil)) == 0 {
		u.tree.Run(context.WithoutCancel(ctx), min(firstPlayouts, limit), u.rng)
	}
	for ctx.Err() == nil && u.Size() < limit {
		progress(false)
		u.tree.Run(ctx, min(nextPlayouts, limit-u.Size()), u.rng)
	}
	return nil
}

// Choose implements Searcher.
func (u *uctSearcher[S]) Choose(rng *rand.Rand) game.Action { return u.tree.Best(rng) }

// Analysis implements Searcher.
func (u *uctSearcher[S]) Analysis(rng *rand.Rand) *Analysis {
	a := &Analysis{
		Value: u.tree.Value(), Moves: u.tree.Stats(nil), Policy: make([]float32, u.actions), PV: u.tree.PV(nil), Simulations: u.Size(),
	}
	for _, m := range a.Moves {
		a.Policy[m.Action] = float32(m.Visits)
	}
	return a.conclude(u.Choose(rng))
}

// Look implements Searcher.
func (u *uctSearcher[S]) Look(line []game.Action) *Detail {
	return detailOf(u.tree, u.tree.Stats(nil), line)
}
