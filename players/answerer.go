package players

import (
	"context"
	"math/rand/v2"

	"tengen/game"
)

// Answerer chooses moves and explains them. It is not safe for concurrent use.
//
// It knows nothing of the games: no search tree is kept from one move to the next, so that what is measured is the
// strength of a position's move and does not depend on how the position came about.
//
// Both methods answer positions[i], which is not over, in element i of their last argument, and rngs[i] is for that
// position alone: unless the player goes by the clock, the answer depends on the position, the player and the state of the
// generator, never on what else is or was asked. The slices have equal lengths and must not be kept. When ctx ends first,
// or the player fails, the error says so and the answers mean nothing.
type Answerer[S game.State[S]] interface {
	// Choose sets moves[i] to a legal move.
	Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error

	// Analyze sets dst[i] to a new Analysis, whose Best is the move that Choose would have set.
	Analyze(ctx context.Context, positions []S, rngs []*rand.Rand, dst []*Analysis) error

	// Together is the number of positions that are best asked about in one call.
	Together() int
}

// within is the Answerer of a player with a limit.
type within[S game.State[S]] struct {
	player    Player[S]
	limit     Limit
	searchers []Searcher[S] // as many as were needed at once
}

// Choose implements Answerer.
func (w *within[S]) Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error {
	limit := w.limit
	limit.MoveOnly = true
	return w.search(ctx, positions, rngs, limit, func(i int, s Searcher[S]) { moves[i] = s.Choose(rngs[i]) })
}

// Analyze implements Answerer.
func (w *within[S]) Analyze(ctx context.Context, positions []S, rngs []*rand.Rand, dst []*Analysis) error {
	return w.search(ctx, positions, rngs, w.limit, func(i int, s Searcher[S]) { dst[i] = s.Analysis(rngs[i]) })
}

// Together implements Answerer.
func (w *within[S]) Together() int { return w.player.Together(w.limit) }

// search hands the searcher of each position to found, as many at once as the player gains by.
func (w *within[S]) search(ctx context.Context, positions []S, rngs []*rand.Rand, l Limit, found func(i int, s Searcher[S])) error {
	for len(w.searchers) < max(1, min(w.Together(), len(positions))) {
		w.searchers = append(w.searchers, w.player.New())
	}
	for first := 0; first < len(positions); first += len(w.searchers) {
		on := w.searchers[:min(len(w.searchers), len(positions)-first)]
		for i, s := range on {
			s.Reset(positions[first+i], rngs[first+i])
		}
		err := w.player.Search(ctx, on, l, silent)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for i, s := range on {
			found(first+i, s)
		}
	}
	return nil
}

// silent ignores progress. A literal would be allocated in each call.
func silent(bool) {}
