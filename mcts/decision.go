package mcts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// Decision is what a search comes to.
type Decision struct {
	Action game.Action // the move to play
	// Policy is what a network should learn, over Actions: weights from 0 up, 0 for illegal moves, with a sum above 0, not
	// normalised. It need not be what Action was drawn by.
	Policy []float32
	// Value is that of the root, in [-1, 1] for the side to move: Search.Value, unless a variant knows better.
	Value  float32
	Proven Result // about the root, for the side to move: Search.Proven
}

// variant is a search whose root is not PUCT's: it spreads the simulations over the root's moves, says when that is enough, and
// decides. Below the root all variants search alike. The methods see the tree with its root open: the moves are t.moves(0). A
// variant keeps by action what it knows of them, because their order changes.
//
// A variant is a type in a file of its own, such as gumbel, and a line in newVariant. Callers of Search don't know which one
// runs. PUCT itself is none: the search calls it directly, and so no method of an interface in its simulations.
type variant interface {
	// begin starts a search of the root by that many simulations more. rng is that of Begin: nil unless the search explores.
	begin(t *tree, simulations int, rng *rand.Rand)
	// choose returns the edge of the move that the next simulation follows, any that is not proven lost. A move that is not one
	// of the node's opened ones has to be made one by tree.enter. It is called once a simulation.
	choose(t *tree) int32
	// done reports whether the search is over though it has simulations left.
	done(t *tree) bool
	// decide sets Action and Policy, which comes cleared, as Decision and Decide say. Value and Proven come set.
	decide(t *tree, temperature float64, rng *rand.Rand, d *Decision)
}

// newVariant returns what a new search has at its root, nil for PUCT: where it explores, and where it plays as well as it can.
// It is a variable because the tests have a variant.
var newVariant = func(cfg Config, actions int) (exploring, playing variant) {
	if cfg.Root == rootGumbel {
		return newGumbel(cfg, actions), nil
	}
	return nil, nil
}

// Begin starts a search of the root: up to that many simulations, at least 1, as Simulations counts them. In self-play rng
// makes it explore: the root's priors get their temperature and Dirichlet noise as soon as the root is open, until when nobody
// else may use rng, playouts are forced, and moves not tried yet are worth what Config.RootFirstPlayReduction says; or else
// Config.Root names another rule. rng is nil where the search should play as well as it can.
//
// Reset and Advance begin a search of Config.Simulations without exploration. Another Begin takes its place: it changes
// the number of simulations, and temperature and noise come on top of what is in the priors already.
func (s *Search[S]) Begin(simulations int, rng *rand.Rand) {
	if simulations < 1 {
		panic(fmt.Sprintf("mcts: Begin with %d simulations, want at least 1", simulations))
	}
	s.budget, s.explore, s.explores = simulations, rng, rng != nil
	s.variant = s.playing
	if s.explores {
		s.variant = s.exploring
	}
	if s.tree.edges[0].child != 0 {
		s.begin()
	}
}

// begin does what Begin has to leave until the root is open.
func (s *Search[S]) begin() {
	rng := s.explore
	s.explore = nil
	switch {
	case s.variant != nil:
		s.variant.begin(&s.tree, s.budget-s.simulations, rng)
	case rng != nil:
		s.temper()
		if s.cfg.NoiseWeight > 0 {
			s.mixNoise(rng)
		}
		s.tree.promote(&s.tree.nodes[s.tree.edges[0].child])
	}
}

// Done reports whether the search of the root is over: its simulations are used up, its root is proven, or there is nothing
// left to find out. If the game is not over at the root, Decide can be called then.
func (s *Search[S]) Done() bool {
	if s.simulations >= s.budget || s.Proven() != Unknown {
		return true
	}
	return s.variant != nil && s.tree.edges[0].child != 0 && s.variant.done(&s.tree)
}

// Decide overwrites d with what the search has come to, reusing its memory. It may be called as soon as the root is open, which
// it is after one simulation, and panics before, and when the game is over at the root.
//
// PUCT teaches the visits and draws the move from them, in proportion to visits^(1/temperature), see SelectMove. Proofs correct
// them: a proven win takes all weight, and a proven loss has none while anything else is left. Where the search explores and
// Config.PruneTarget says so, they are pruned as well, for both uses (Wu 2019, section 3.2 and appendix D). Where it does
// not, and the temperature is 0, Config.LCB may choose another move than the most visited one.
func (s *Search[S]) Decide(temperature float64, rng *rand.Rand, d *Decision) {
	if s.tree.edges[0].child == 0 {
		panic("mcts: Decide on a root that is not open")
	}
	if len(d.Policy) != s.actions {
		d.Policy = make([]float32, s.actions)
	}
	clear(d.Policy)
	d.Value, d.Proven = s.Value(), s.Proven()
	if s.variant != nil {
		s.variant.decide(&s.tree, temperature, rng, d)
		return
	}
	visitWeights(s.tree.moves(0), d.Policy)
	if s.explores && s.cfg.PruneTarget {
		s.tree.pruneVisits(&s.cfg, s.scales, d.Policy)
	}
	if temperature > 0 || s.explores || s.cfg.LCB == 0 {
		d.Action = SelectMove(d.Policy, temperature, rng)
		return
	}
	s.drawn = append(s.drawn[:0], d.Policy...)
	s.tree.highestBound(s.cfg.LCB, s.drawn)
	d.Action = SelectMove(s.drawn, 0, rng)
}

// visitWeights writes the visits of those moves that are worth playing to dst [Actions]. Where none of them was visited, the
// first has the weight 1; where all moves were lost before any was visited, their weights are their priors, as nothing was found
// out that would set one above another.
func visitWeights(moves []edge, dst []float32) {
	keep := bestRank(moves)
	sum := float32(0)
	for i := range moves {
		if e := &moves[i]; e.rank() == keep {
			dst[e.action] = float32(e.visits)
			sum += float32(e.visits)
		}
	}
	switch {
	case sum > 0:
	case keep == 0:
		for i := range moves {
			dst[moves[i].action] = moves[i].prior
		}
	default:
		first := slices.IndexFunc(moves, func(e edge) bool { return e.rank() == keep })
		dst[moves[first].action] = 1
	}
}

// rank is 2 for a won move, 0 for a lost one, 1 for others. Only moves of the highest rank are worth playing.
func (e *edge) rank() int {
	switch e.proven {
	case Win:
		return 2
	case Loss:
		return 0
	}
	return 1
}

// bestRank is the highest rank of moves, 0 for none.
func bestRank(moves []edge) int {
	best := 0
	for i := range moves {
		best = max(best, moves[i].rank())
	}
	return best
}

// SelectMove draws a move with probability proportional to policy[a]^(1/temperature) (Silver et al. 2017, Methods,
// "Play"). Temperature 0 takes the largest, equal ones being equally likely. A move of weight 0 is never drawn. It panics
// when no weight is above 0.
func SelectMove(policy []float32, temperature float64, rng *rand.Rand) game.Action {
	largest := slices.Max(policy)
	if !(largest > 0) {
		panic("mcts: SelectMove from a policy without weight")
	}
	weight := func(p float32) float64 {
		switch {
		case p == largest:
			return 1
		case p == 0 || temperature == 0:
			return 0
		}
		return math.Pow(float64(p/largest), 1/temperature)
	}
	sum := 0.0
	for _, p := range policy {
		sum += weight(p)
	}
	draw := rng.Float64() * sum
	last := game.None
	for a, p := range policy {
		w := weight(p)
		if w == 0 {
			continue
		}
		last = game.Action(a)
		if draw < w {
			break
		}
		draw -= w
	}
	return last
}
