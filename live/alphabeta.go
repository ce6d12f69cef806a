package live

import (
	"context"

	"tengen/game"
	"tengen/mcts"
	"tengen/players"
	"tengen/solver"
)

// NewAlphaBeta returns a thinker that searches by alpha-beta, a ply deeper each time, to the given depth, 0: without limit.
// It reports each depth at once, and answers with the last that it has finished. Simulations are positions visited. An
// estimate says too little of who will win to be a value, so what is not proven has the value 0. The searcher belongs to the
// thinker. It panics when the depth is negative and when the options are not valid.
func NewAlphaBeta[S game.State[S]](g game.Game[S], s *solver.Searcher[S], depth int, o Options) *Thinker[S] {
	o.mustBeValid()
	if depth < 0 {
		panic("live: alpha-beta to a negative depth")
	}
	return newThinker(g, &alphaBetaSearch[S]{searcher: s, depth: depth, actions: g.Actions(), seed: o.Seed}, o)
}

// alphaBetaSearch keeps nothing from one position to the next.
type alphaBetaSearch[S game.State[S]] struct {
	searcher *solver.Searcher[S]
	depth    int // at most; 0: no limit
	actions  int
	seed     uint64
	root     S
	found    solver.Result // the deepest for root
}

func (p *alphaBetaSearch[S]) reset(s S) { p.root, p.found = s, solver.Result{} }

func (p *alphaBetaSearch[S]) advance(a game.Action) { p.reset(p.root.Play(a)) }

func (p *alphaBetaSearch[S]) simulations() int { return int(p.found.Nodes) }

func (p *alphaBetaSearch[S]) search(ctx context.Context, _ int, progress func(bool)) error {
	if p.finished() {
		return nil
	}
	for result := range p.searcher.Deepen(ctx, p.root) {
		if result.Depth <= p.found.Depth {
			continue // found by a thought before
		}
		p.found = result
		if p.finished() {
			break
		}
		progress(true)
	}
	return nil
}

func (p *alphaBetaSearch[S]) finished() bool {
	return p.found.Proven || p.found.Depth > 0 && p.found.Depth == p.depth
}

func (p *alphaBetaSearch[S]) analysis() *players.Analysis {
	a := &players.Analysis{Policy: make([]float32, p.actions), Simulations: int(p.found.Nodes)}
	sign := p.found.Moves[0].Value.Score().Sign()
	if a.Value = float32(sign); p.found.Proven {
		a.Proven = mcts.Draw + mcts.Result(sign)
	}
	for _, m := range p.root.Legal(nil) {
		a.Moves = append(a.Moves, mcts.Stat{Action: m})
	}
	for _, m := range p.found.Best() {
		a.Policy[m.Action] = 1
	}
	return a.Conclude(mcts.SelectMove(a.Policy, 0, choice(p.seed, p.root)))
}
