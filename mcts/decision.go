package mcts

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/portable"
)

// Decision is the outcome of a search.
type Decision struct {
	Action game.Action // the move to play
	// Policy [Actions] is the policy to learn: non-negative weights with a positive sum, 0 for illegal moves. Action
	// may have another distribution.
	Policy []float32
	Value  float32     // Search.Value
	Proven game.Result // Search.Proven
}

// Begin starts a search of the root that ends when Simulations reaches simulations, at least 1. With rng nil, it
// searches for the best move. Otherwise it explores, for self-play: it applies the temperature and Dirichlet noise to
// the root's priors once the root is expanded, forces playouts, and uses Config.RootFirstPlayReduction. Until the root
// is expanded, the caller must not use rng.
//
// Reset and Advance begin a search of Config.Simulations without exploration. A second exploring Begin applies
// temperature and noise to priors that have them already.
func (s *Search[S]) Begin(simulations int, rng *rand.Rand) {
	if simulations < 1 {
		panic(fmt.Sprintf("mcts: Begin with %d simulations, want at least 1", simulations))
	}
	s.budget, s.rng, s.exploring = simulations, rng, rng != nil
	if s.tree.edges[0].child != 0 {
		s.prepareRoot()
	}
}

// prepareRoot applies temperature and noise once the root has its priors.
func (s *Search[S]) prepareRoot() {
	rng := s.rng
	s.rng = nil
	if rng == nil {
		return
	}
	s.temper()
	if s.cfg.NoiseWeight > 0 {
		s.mixNoise(rng)
	}
	s.tree.promote(&s.tree.nodes[s.tree.edges[0].child])
}

// Done reports whether the search is over: its simulations are used up, or its root is proven.
func (s *Search[S]) Done() bool { return s.simulations >= s.budget || s.Proven() != game.Unknown }

// Decide overwrites d with the search's outcome, reusing its memory. It panics unless the root is expanded, hence
// before the first simulation and after the game.
//
// The policy is the visits. Decide draws the move from them, see SelectMove. A proven win takes all weight, and a
// proven loss has none while another move is left. With Config.ForcedPlayouts, a search that explores prunes the visits
// (Wu 2019, section 3.2 and appendix D).
func (s *Search[S]) Decide(temperature float64, rng *rand.Rand, d *Decision) {
	if len(d.Policy) != s.actions {
		d.Policy = make([]float32, s.actions)
	}
	clear(d.Policy)
	d.Value, d.Proven = s.Value(), s.Proven()
	visitWeights(s.tree.moves(0), d.Policy)
	if s.exploring && s.cfg.ForcedPlayouts > 0 {
		s.tree.pruneVisits(&s.cfg, d.Policy)
	}
	d.Action = SelectMove(d.Policy, temperature, rng)
}

// visitWeights writes the visits of the moves worth playing to dst [Actions]. If they have no visits, the first of them
// gets weight 1 or, if all moves lose, the weights are the priors.
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

// rank returns 2 for a won move, 0 for a lost one, else 1. Only moves of the highest rank are worth playing.
func (e *edge) rank() int {
	switch e.proven {
	case game.Win:
		return 2
	case game.Loss:
		return 0
	}
	return 1
}

func bestRank(moves []edge) int {
	best := 0
	for i := range moves {
		best = max(best, moves[i].rank())
	}
	return best
}

// SelectMove draws a move in proportion to policy[a]^(1/temperature) (Silver et al. 2017, Methods, "Play"), at
// temperature 0 among the moves of the largest weight. It never draws a move of weight 0, and panics if all are 0.
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
		return portable.Pow(float64(p/largest), 1/temperature)
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
