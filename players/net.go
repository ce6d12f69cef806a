package players

import (
	"context"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/mcts"
)

// netPlayer searches by PUCT and plays the most visited move or a proven win. It uses no noise and no temperature.
type netPlayer[S game.State[S]] struct {
	config     mcts.Config
	actions    int
	evaluators []mcts.Evaluator[S]
	owners     func(S) []float32 // see Network.Owners
	options    Options
	trees      []*mcts.Search[S] // scratch
}

// newNet returns a player that uses all evaluators for each search and searches positions without a time limit in
// lockstep.
func newNet[S game.State[S]](n Network[S], actions int, evaluators []mcts.Evaluator[S], o Options) Algorithm[S] {
	return &netPlayer[S]{config: n.Search, actions: actions, evaluators: evaluators, owners: n.Owners, options: o}
}

// leavesInFlight limits the leaves in flight. They count as losses, and a small tree has few good alternatives.
func leavesInFlight(simulations int) int { return 1 + simulations/50 }

// New implements Algorithm.
func (p *netPlayer[S]) New() Searcher[S] {
	return &netSearcher[S]{tree: mcts.New[S](p.config, p.actions), guess: p.owners}
}

// Together takes memory into account: fewer large trees than small ones fit into the memory, at up to two positions for
// each simulation (see mcts.Config.ForcedNodes).
func (p *netPlayer[S]) Together(l Limit) int {
	if l.Time > 0 || l.Simulations == 0 {
		return 1
	}
	return max(1, min(p.options.Batch, p.options.MaxNodes/2/l.Simulations))
}

// Search implements Algorithm.
func (p *netPlayer[S]) Search(ctx context.Context, on []Searcher[S], l Limit, progress func(news bool)) error {
	for group := range slices.Chunk(on, p.Together(l)) {
		within, cancel := timed(ctx, l)
		err := p.drive(within, group, l, progress)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// drive searches several trees at once, which share the memory. It resets them after an error.
func (p *netPlayer[S]) drive(ctx context.Context, on []Searcher[S], l Limit, progress func(news bool)) error {
	p.trees = p.trees[:0]
	share := p.options.MaxNodes / p.Together(l)
	for _, s := range on {
		t, size := s.(*netSearcher[S]).tree, share
		t.LimitNodes(share)
		if l.Simulations > 0 {
			size = min(size, l.Simulations)
		}
		if missing := size - t.Visits(); missing > 0 {
			t.Begin(t.Simulations()+missing, nil)
			p.trees = append(p.trees, t)
		}
	}
	o := mcts.DriveOptions{Batch: p.options.Batch, Progress: func() { progress(false) }}
	if p.options.speculative {
		o.InFlight = leavesInFlight
	}
	err := mcts.Drive(ctx, p.trees, p.evaluators, o)
	if err != nil {
		for _, t := range p.trees {
			t.Reset(t.Root())
		}
	}
	return err
}

type netSearcher[S game.State[S]] struct {
	tree     *mcts.Search[S]
	guess    func(S) []float32 // see Network.Owners
	owners   []float32         // of the root; nil: not yet guessed
	decision mcts.Decision     // scratch
}

// Reset implements Searcher.
func (n *netSearcher[S]) Reset(l Line[S], _ *rand.Rand) {
	n.tree.Reset(l.Position)
	n.owners = nil
}

// Advance implements Searcher.
func (n *netSearcher[S]) Advance(a game.Action) {
	n.tree.Advance(a)
	n.owners = nil
}

// Size implements Searcher.
func (n *netSearcher[S]) Size() int { return n.tree.Visits() }

// Choose implements Searcher.
func (n *netSearcher[S]) Choose(rng *rand.Rand) game.Action {
	n.tree.Decide(0, rng, &n.decision)
	return n.decision.Action
}

// Analysis implements Searcher.
func (n *netSearcher[S]) Analysis(rng *rand.Rand) *Analysis { return analysisOf(n.tree, rng) }

// Look implements Searcher.
func (n *netSearcher[S]) Look(line []game.Action) *Detail {
	d := detailOf(n.tree, n.tree.Stats(nil), line)
	if n.owners == nil && n.guess != nil {
		n.owners = n.guess(n.tree.Root())
	}
	d.Owners = n.owners
	return d
}

func analysisOf[S game.State[S]](tree *mcts.Search[S], rng *rand.Rand) *Analysis {
	var d mcts.Decision
	tree.Decide(0, rng, &d)
	a := &Analysis{
		Value:       d.Value,
		Proven:      d.Proven,
		Moves:       tree.Stats(nil),
		Policy:      d.Policy,
		PV:          tree.PV(nil),
		Simulations: tree.Visits(),
	}
	return a.conclude(d.Action)
}

// policyPlayer plays the move of highest prior without search.
type policyPlayer[S game.State[S]] struct {
	actions   int
	evaluator mcts.Evaluator[S]
	batch     int

	// Scratch memory.
	positions []S
	priors    [][]float32
	values    []float32
}

func newPolicy[S game.State[S]](actions int, ev mcts.Evaluator[S], batch int) Algorithm[S] {
	return &policyPlayer[S]{actions: actions, evaluator: mcts.Roots(ev), batch: batch}
}

// New implements Algorithm.
func (p *policyPlayer[S]) New() Searcher[S] {
	return &policySearcher[S]{prior: make([]float32, p.actions)}
}

// Together implements Algorithm.
func (p *policyPlayer[S]) Together(Limit) int { return p.batch }

// Search implements Algorithm.
func (p *policyPlayer[S]) Search(_ context.Context, on []Searcher[S], _ Limit, _ func(news bool)) error {
	p.positions, p.priors = p.positions[:0], p.priors[:0]
	for _, s := range on {
		s := s.(*policySearcher[S])
		p.positions, p.priors = append(p.positions, s.root), append(p.priors, s.prior)
	}
	p.values = slices.Grow(p.values[:0], len(on))[:len(on)]
	if err := p.evaluator.Evaluate(p.positions, p.priors, p.values); err != nil {
		return err
	}
	for i, s := range on {
		s.(*policySearcher[S]).value = p.values[i]
	}
	return nil
}

type policySearcher[S game.State[S]] struct {
	rootOnly[S]
	prior []float32 // [actions]
	value float32
}

// Choose implements Searcher.
func (p *policySearcher[S]) Choose(rng *rand.Rand) game.Action {
	return mcts.SelectMove(p.prior, 0, rng)
}

// Analysis implements Searcher.
func (p *policySearcher[S]) Analysis(rng *rand.Rand) *Analysis {
	a := &Analysis{Value: p.value, Policy: slices.Clone(p.prior), Moves: p.stats()}
	for i, m := range a.Moves {
		a.Moves[i].Prior = p.prior[m.Action]
	}
	return a.conclude(p.Choose(rng))
}
