package players

import (
	"context"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/uct"
	"tengen/solver"
)

// single is a player that looks at one position at a time. oneByOne makes a Player of it. The methods are those of Player.
type single[S game.State[S]] interface {
	choose(ctx context.Context, s S, rng *rand.Rand) (game.Action, error)
	analyze(ctx context.Context, s S, rng *rand.Rand) (*Analysis, error)
}

type oneByOne[S game.State[S]] struct{ single[S] }

// Choose implements Player.
func (p oneByOne[S]) Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) (err error) {
	for i, s := range positions {
		if moves[i], err = p.choose(ctx, s, rngs[i]); err != nil {
			return err
		}
	}
	return nil
}

// Analyze implements Player.
func (p oneByOne[S]) Analyze(ctx context.Context, positions []S, rngs []*rand.Rand, dst []*Analysis) (err error) {
	for i, s := range positions {
		if dst[i], err = p.analyze(ctx, s, rngs[i]); err != nil {
			return err
		}
	}
	return nil
}

// randomPlayer takes every legal move with the same probability.
type randomPlayer[S game.State[S]] struct {
	actions int
	legal   []game.Action // scratch
}

func (p *randomPlayer[S]) choose(_ context.Context, s S, rng *rand.Rand) (game.Action, error) {
	p.legal = s.Legal(p.legal[:0])
	return p.legal[rng.IntN(len(p.legal))], nil
}

func (p *randomPlayer[S]) analyze(ctx context.Context, s S, rng *rand.Rand) (*Analysis, error) {
	best, err := p.choose(ctx, s, rng)
	a := &Analysis{Policy: make([]float32, p.actions)}
	for _, m := range p.legal {
		a.Moves = append(a.Moves, mcts.Stat{Action: m, Prior: 1 / float32(len(p.legal))})
		a.Policy[m] = 1
	}
	return a.Conclude(best), err
}

// uctPlayer searches by plain UCT and plays the most visited move. A budget of time needs a core to itself to mean the same
// everywhere.
type uctPlayer[S game.State[S]] struct {
	actions int
	search  *uct.Search[S]
	budget  mcts.Budget // sets a limit
}

func (p *uctPlayer[S]) choose(ctx context.Context, s S, rng *rand.Rand) (game.Action, error) {
	p.search.Reset(s)
	if err := p.search.Run(ctx, p.budget, rng); err != nil {
		return game.None, err
	}
	return p.search.Best(rng), nil
}

func (p *uctPlayer[S]) analyze(ctx context.Context, s S, rng *rand.Rand) (*Analysis, error) {
	best, err := p.choose(ctx, s, rng)
	if err != nil {
		return nil, err
	}
	a := &Analysis{
		Value:       p.search.Value(),
		Moves:       p.search.Stats(nil),
		Policy:      make([]float32, p.actions),
		PV:          p.search.PV(nil),
		Simulations: p.search.Playouts(),
	}
	for _, m := range a.Moves {
		a.Policy[m.Action] = float32(m.Visits)
	}
	return a.Conclude(best), nil
}

// exactPlayer makes no mistake: it wins as soon as possible, loses as late as possible, and leaves equally good moves to
// chance.
type exactPlayer[S game.State[S]] struct {
	actions int
	solver  solver.Solver[S]
}

// choose need not know the scores of all moves.
func (p *exactPlayer[S]) choose(ctx context.Context, s S, rng *rand.Rand) (game.Action, error) {
	best, err := solver.Best(ctx, p.solver, s)
	if err != nil {
		return game.None, err
	}
	return best[rng.IntN(len(best))], nil
}

func (p *exactPlayer[S]) analyze(ctx context.Context, s S, rng *rand.Rand) (*Analysis, error) {
	before := p.solver.Nodes()
	legal := s.Legal(nil)
	scores, err := solver.Moves(ctx, p.solver, s, legal)
	if err != nil {
		return nil, err
	}
	highest := slices.Max(scores)
	a := &Analysis{
		Value:       float32(highest.Sign()),
		Proven:      resultOf(highest),
		Policy:      make([]float32, p.actions),
		Simulations: int(p.solver.Nodes() - before),
	}
	var best []game.Action
	for i, m := range legal {
		a.Moves = append(a.Moves, mcts.Stat{Action: m, Q: float32(scores[i].Sign()), Proven: resultOf(scores[i])})
		if scores[i] == highest {
			best = append(best, m)
			a.Policy[m] = 1
		}
	}
	return a.Conclude(best[rng.IntN(len(best))]), nil
}

// resultOf is who wins according to a score.
func resultOf(s solver.Score) mcts.Result { return mcts.Draw + mcts.Result(s.Sign()) }

// alphaBetaPlayer searches by alpha-beta within a limit and leaves equally good moves to chance. A limit of time needs a
// core to itself to mean the same everywhere.
type alphaBetaPlayer[S game.State[S]] struct {
	actions  int
	searcher *solver.Searcher[S]
	limit    solver.Limit
}

func (p *alphaBetaPlayer[S]) choose(ctx context.Context, s S, rng *rand.Rand) (game.Action, error) {
	result, err := p.searcher.Search(ctx, s, p.limit)
	if err != nil {
		return game.None, err
	}
	best := result.Best()
	return best[rng.IntN(len(best))].Action, nil
}

// analyze takes no estimate for a value, as it says too little of who will win: what is not proven has the value 0.
func (p *alphaBetaPlayer[S]) analyze(ctx context.Context, s S, rng *rand.Rand) (*Analysis, error) {
	result, err := p.searcher.Search(ctx, s, p.limit)
	if err != nil {
		return nil, err
	}
	a := &Analysis{Policy: make([]float32, p.actions), Simulations: int(result.Nodes)}
	score := result.Moves[0].Value.Score()
	if a.Value = float32(score.Sign()); result.Proven {
		a.Proven = resultOf(score)
	}
	for _, m := range s.Legal(nil) {
		a.Moves = append(a.Moves, mcts.Stat{Action: m})
	}
	best := result.Best()
	for _, m := range best {
		a.Policy[m.Action] = 1
	}
	return a.Conclude(best[rng.IntN(len(best))].Action), nil
}
