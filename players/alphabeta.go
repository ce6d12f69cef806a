package players

import (
	"context"
	"math/rand/v2"

	"tengen/game"
	"tengen/solver"
)

// alphaBetaSearcher searches by alpha-beta, a ply deeper each time, and leaves equally good moves to chance. It reports each depth
// at once, and answers with the last that it has finished. It keeps nothing from one position to the next.
type alphaBetaSearcher[S game.State[S]] struct {
	treeless[S]
	searcher *solver.Searcher[S]
	depth    int // at most; 0: no limit
	actions  int
	found    solver.Result // the deepest for root
}

// newAlphaBeta returns a player that searches to the given depth, 0: without limit.
func newAlphaBeta[S game.State[S]](g game.Game[S], depth int) (Player[S], error) {
	searcher, err := solver.NewSearcher(g, solver.DefaultPlayer(g))
	return solo[S](func() lone[S] {
		return &alphaBetaSearcher[S]{searcher: searcher, depth: depth, actions: g.Actions()}
	}), err
}

// Reset implements Searcher.
func (p *alphaBetaSearcher[S]) Reset(s S, _ *rand.Rand) { p.root, p.found = s, solver.Result{} }

// Advance implements Searcher.
func (p *alphaBetaSearcher[S]) Advance(a game.Action) { p.Reset(p.root.Play(a), nil) }

// Size implements Searcher: positions visited.
func (p *alphaBetaSearcher[S]) Size() int { return int(p.found.Nodes) }

func (p *alphaBetaSearcher[S]) search(ctx context.Context, _ Limit, progress func(bool)) error {
	if p.finished() {
		return nil
	}
	for result := range p.searcher.Deepen(ctx, p.root) {
		if result.Depth <= p.found.Depth {
			continue // found by a search before
		}
		p.found = result
		if p.finished() {
			break
		}
		progress(true)
	}
	return nil
}

func (p *alphaBetaSearcher[S]) finished() bool {
	return p.found.Proven || p.found.Depth > 0 && p.found.Depth == p.depth
}

// Choose implements Searcher.
func (p *alphaBetaSearcher[S]) Choose(rng *rand.Rand) game.Action {
	best := p.found.Best()
	return best[rng.IntN(len(best))].Action
}

// Analysis implements Searcher. It takes no estimate for a value, as it says too little of who will win: what is not proven has
// the value 0.
func (p *alphaBetaSearcher[S]) Analysis(rng *rand.Rand) *Analysis {
	a := &Analysis{Moves: p.stats(), Policy: make([]float32, p.actions), Simulations: p.Size()}
	score := p.found.Moves[0].Value.Score()
	if a.Value = float32(score.Sign()); p.found.Proven {
		a.Proven = resultOf(score)
	}
	for _, m := range p.found.Best() {
		a.Policy[m.Action] = 1
	}
	return a.conclude(p.Choose(rng))
}
