package players

import (
	"context"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/mcts"
	"tengen/solver"
)

// exactSearcher wins as soon as possible, loses as late as possible, and picks randomly among equally good moves. If
// stopped before the solver's answer, it plays the move of a short search without a network.
type exactSearcher[S game.State[S]] struct {
	rootOnly[S]
	actions int
	solver  solver.Solver[S]
	best    []game.Action  // nil until solved
	scores  []solver.Score // of the legal moves; nil until solved without MoveOnly
	nodes   int            // visited for scores
}

func newExact[S game.State[S]](actions int, s solver.Solver[S]) Algorithm[S] {
	return sequential[S](func() singleSearcher[S] { return &exactSearcher[S]{actions: actions, solver: s} })
}

// Reset implements Searcher.
func (e *exactSearcher[S]) Reset(l Line[S], _ *rand.Rand) {
	e.root, e.best, e.scores, e.nodes = l.Position, nil, nil, 0
}

// Advance implements Searcher.
func (e *exactSearcher[S]) Advance(a game.Action) { e.Reset(At(e.root.Play(a)), nil) }

// Size counts positions visited.
func (e *exactSearcher[S]) Size() int { return e.nodes }

func (e *exactSearcher[S]) search(ctx context.Context, l Limit, _ func(bool)) (err error) {
	switch {
	case e.scores != nil:
	case l.MoveOnly:
		e.best, err = solver.Best(ctx, e.solver, e.root)
	default:
		err = e.score(ctx)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (e *exactSearcher[S]) score(ctx context.Context) (err error) {
	before, legal := e.solver.Nodes(), e.root.Legal(nil)
	if e.scores, err = solver.Moves(ctx, e.solver, e.root, legal); err != nil {
		return err
	}
	e.nodes = int(e.solver.Nodes() - before)
	e.best = nil
	for i, a := range legal {
		if e.scores[i] == slices.Max(e.scores) {
			e.best = append(e.best, a)
		}
	}
	return nil
}

// Choose implements Searcher.
func (e *exactSearcher[S]) Choose(rng *rand.Rand) game.Action {
	if e.best == nil {
		return e.reflex(rng).Best
	}
	return e.best[rng.IntN(len(e.best))]
}

// Analysis implements Searcher.
func (e *exactSearcher[S]) Analysis(rng *rand.Rand) *Analysis {
	if e.scores == nil {
		return e.reflex(rng)
	}
	highest := slices.Max(e.scores)
	a := &Analysis{
		Value: float32(highest.Sign()), Proven: resultOf(highest), Moves: e.stats(), Policy: make([]float32, e.actions), Simulations: e.nodes,
	}
	for i, score := range e.scores {
		a.Moves[i].Q, a.Moves[i].Proven = float32(score.Sign()), resultOf(score)
	}
	for _, m := range e.best {
		a.Policy[m] = 1
	}
	return a.conclude(e.Choose(rng))
}

// reflex visits each move once and the most promising ones again.
func (e *exactSearcher[S]) reflex(rng *rand.Rand) *Analysis {
	config := mcts.Default()
	config.ForcedNodes, config.Simulations = 0, 2*len(e.root.Legal(nil))
	tree := mcts.New[S](config, e.actions)
	tree.Reset(e.root)
	uniform := []mcts.Evaluator[S]{&mcts.Uniform[S]{}} // never fails
	_ = mcts.Drive(context.Background(), []*mcts.Search[S]{tree}, uniform, mcts.DriveOptions{Batch: 1})
	return analysisOf(tree, rng)
}

func resultOf(s solver.Score) game.Result { return game.ResultOf(float32(s.Sign())) }
