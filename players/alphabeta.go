package players

import (
	"context"
	"math/rand/v2"

	"tengen/game"
	"tengen/solver"
)

// alphaBetaSearcher searches by alpha-beta with iterative deepening and picks randomly among equally good moves of the
// last depth completed. It keeps nothing between positions.
type alphaBetaSearcher[S game.State[S]] struct {
	rootOnly[S]
	searcher *solver.Searcher[S]
	depth    int // maximum; 0: no limit
	actions  int
	found    solver.Result // deepest result for root
}

// newAlphaBeta returns a player that searches depth plies; 0 means no limit.
func newAlphaBeta[S game.State[S]](g game.Game[S], depth int) (Algorithm[S], error) {
	searcher, err := solver.NewSearcher(g, solver.DefaultPlayer(g))
	return sequential[S](func() singleSearcher[S] {
		return &alphaBetaSearcher[S]{searcher: searcher, depth: depth, actions: g.Actions()}
	}), err
}

// Reset implements Searcher.
func (p *alphaBetaSearcher[S]) Reset(l Line[S], _ *rand.Rand) {
	p.root, p.found = l.Position, solver.Result{}
}

// Advance implements Searcher.
func (p *alphaBetaSearcher[S]) Advance(a game.Action) { p.Reset(At(p.root.Play(a)), nil) }

// Size counts positions visited.
func (p *alphaBetaSearcher[S]) Size() int { return int(p.found.Nodes) }

func (p *alphaBetaSearcher[S]) search(ctx context.Context, _ Limit, progress func(bool)) error {
	if p.finished() {
		return nil
	}
	for result := range p.searcher.Deepen(ctx, p.root) {
		if result.Depth <= p.found.Depth {
			continue // already found by an earlier search
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

// Analysis gives unproven positions the value 0: the solver's estimate says little about the
// winner.
func (p *alphaBetaSearcher[S]) Analysis(rng *rand.Rand) *Analysis {
	a := &Analysis{Moves: p.stats(), Policy: make([]float32, p.actions), Simulations: p.Size()}
	score := p.found.Moves[0].Value.Score()
	a.Value = float32(score.Sign())
	if p.found.Proven {
		a.Proven = resultOf(score)
	}
	for _, m := range p.found.Best() {
		a.Policy[m.Action] = 1
	}
	return a.conclude(p.Choose(rng))
}
