package mcts

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"tengen/game"
)

// gumbel is the root of Gumbel AlphaZero (Danihelka et al. 2022, "Policy improvement by planning with Gumbel",
// algorithm 2 and section 4), for searches that explore. It draws moves from the policy without replacement: the m of
// the largest g(a) + logit(a), where g is drawn from the Gumbel distribution and takes the place of noise in the
// priors. Sequential halving shares the simulations out among them by
//
//	g(a) + logit(a) + sigma(completed Q(a))
//
// and of those that have the most simulations in the end, the one of the largest score is played. What is learned is
// the improved policy over all moves, also those never tried:
//
//	pi' = softmax(logit + sigma(completed Q))
//
// If values are exact, the move is at least as good as the one of the largest g + logit, which is a draw from the
// policy, however few the simulations; and pi' is at least as good as the policy once all moves were tried.
//
// The value of the decision is that of pi', the sum of pi'(a) Q(a): the mean of the root counts the moves of the first
// rounds in full, and so is too low for the side to move.
//
// Three things are not in the paper. In the score that the move is played by, g is multiplied by the temperature: with
// 1 the move is the paper's, a draw from pi' as far as moves were tried; with 0 it is the best of them. A move that is
// proven lost drops out, and what was spent on it does not count, so the next best takes its place. And PUCT may have
// the last simulations, see Config.GumbelSimulations.
//
// Simulations are counted from the start of the search; Q and N cover the whole tree, kept simulations included.
type gumbel struct {
	cfg         Config
	scales      *scales
	simulations int       // of the search
	halving     int       // the first of them, by sequential halving; PUCT has the others
	considered  int       // moves that it starts with: m, or less where fewer are not lost
	before      []int32   // [actions]: the visits when the search began
	noise       []float64 // [actions]: g of each legal move
	logits      []float64 // [actions]: ln of the prior of each legal move
	weights     []float32 // [actions], scratch
}

// leastPrior is the prior of a move whose own is less, so that it has a logarithm: the smallest normal float32.
const leastPrior = 0x1p-126

func newGumbel(cfg Config, actions int) *gumbel {
	return &gumbel{
		cfg:     cfg,
		scales:  scalesOf(cfg),
		before:  make([]int32, actions),
		noise:   make([]float64, actions),
		logits:  make([]float64, actions),
		weights: make([]float32, actions),
	}
}

// begin draws g for every legal move. rng is never nil, because the search explores.
func (v *gumbel) begin(t *tree, simulations int, rng *rand.Rand) {
	v.simulations, v.halving, v.considered = simulations, simulations, 0
	if n := v.cfg.GumbelSimulations; n > 0 {
		v.halving = min(n, simulations)
	}
	moves := t.moves(0)
	for i := range moves {
		e := &moves[i]
		v.before[e.action] = e.visits
		v.noise[e.action] = gumbelNoise(rng)
		v.logits[e.action] = math.Log(e.mass())
		if e.proven != game.Loss {
			v.considered++
		}
	}
	v.considered = min(v.considered, v.cfg.GumbelMoves)
}

// gumbelNoise draws from the Gumbel distribution of location 0 and scale 1. One number is taken from rng.
func gumbelNoise(rng *rand.Rand) float64 {
	u := (float64(rng.Uint64()>>12) + 0.5) * 0x1p-52 // neither 0 nor 1
	return -math.Log(-math.Log(u))
}

// mass is the prior, at least leastPrior.
func (e *edge) mass() float64 { return max(float64(e.prior), leastPrior) }

// choose returns the move of the highest score among those with the number of simulations that sequential halving
// considers next. If proofs have left none, it takes the nearest number below, or else above.
func (v *gumbel) choose(t *tree) int32 {
	moves := t.moves(0)
	all, kept := 0, 0 // simulations of this search, and those of them that count
	for i := range moves {
		n := v.started(&moves[i])
		all += n
		if moves[i].proven != game.Loss {
			kept += n
		}
	}
	if all >= v.halving {
		return t.choose(&v.cfg, v.scales, &t.edges[0], v.cfg.RootFirstPlayReduction)
	}
	want := consideredVisits(v.considered, v.halving, kept)
	values := v.complete(t)
	best, nearest, highest := int32(0), math.MaxInt, 0.0
	for i := range moves {
		e := &moves[i]
		if e.proven == game.Loss {
			continue
		}
		away := want - v.started(e)
		if away < 0 {
			away = math.MaxInt32 - away // comes after all those from below
		}
		if away > nearest {
			continue
		}
		score := v.noise[e.action] + v.logits[e.action] + values.sigma(e)
		if away < nearest || score > highest {
			best, nearest, highest = int32(i), away, score
		}
	}
	n := &t.nodes[t.edges[0].child]
	if best >= n.opened {
		best = t.enter(n, best)
	}
	return n.first + best
}

// started is the number of simulations of this search that went to a move of the root, those in flight included.
func (v *gumbel) started(e *edge) int {
	return int(e.visits+int32(e.pending)) - int(v.before[e.action])
}

// consideredVisits is the number of simulations that a move must have to be given simulation i, from 0, of n by
// sequential halving (Karnin, Koren, Somekh 2013, "Almost Optimal Exploration in Multi-Armed Bandits"), which starts
// with that many moves. Each round has an equal share of the simulations, n / log2(moves), and spends it evenly on its
// moves, at least one on each. The better half of them comes into the next round; two stay to the end.
func consideredVisits(moves, n, i int) int {
	if moves <= 1 {
		return i
	}
	rounds := bits.Len(uint(moves - 1)) // log2(moves), rounded up
	visits := 0
	for {
		each := max(1, n/(rounds*moves))
		if moves == 2 || i < each*moves {
			return visits + i/moves
		}
		visits += each
		i -= each * moves
		moves = max(2, moves/2)
	}
}

// completion has what the completed Q of the root's moves is made of.
type completion struct {
	mix   float64 // the value of a move that nothing is known of
	scale float64 // of sigma
}

// complete computes the factor of sigma, and the mixed value of the root (appendix D of the paper). In that, the moves
// of which something is known count by their prior P, and the evaluator's value v of the root as much as one
// simulation:
//
//	v_mix = (v + N w) / (1 + N),  w = sum of P(a) Q(a) / sum of P(a) over the known a,  N = sum of N(a)
//
// v follows from the sums of values, see edge. Where the root is proven it doesn't, but then all moves worth playing
// are known.
func (v *gumbel) complete(t *tree) completion {
	value, visits, most := -t.edges[0].valueSum, 0.0, 0.0
	known, sum := 0.0, 0.0
	moves := t.moves(0)
	for i := range moves {
		e := &moves[i]
		value -= e.valueSum
		visits += float64(e.visits)
		most = max(most, float64(e.visits))
		if e.known() {
			known += e.mass()
			sum += e.mass() * e.q()
		}
	}
	c := completion{mix: value, scale: (v.cfg.GumbelCVisit + most) * v.cfg.GumbelCScale}
	if known > 0 {
		c.mix = (value + visits*sum/known) / (1 + visits)
	}
	return c
}

// q is the completed Q of a move, in [-1, 1].
func (c completion) q(e *edge) float64 {
	if e.known() {
		return e.q()
	}
	return c.mix
}

// sigma is sigma(q) = (c_visit + max over b of N(b)) c_scale q of the paper, with q = (Q + 1) / 2 in [0, 1] from the
// completed Q of the move. The more simulations there are, the less the policy counts.
func (c completion) sigma(e *edge) float64 { return c.scale * (c.q(e) + 1) / 2 }

// known reports whether anything is known of the move's value: by a simulation or a proof.
func (e *edge) known() bool { return e.visits > 0 || e.proven != game.Unknown }

// decide teaches pi' over the moves worth playing, and plays one of those with the most simulations of this search. If
// PUCT had the last simulations, the move is drawn from the visits instead. If all moves are lost there is nothing to
// improve, and the visits are also the policy.
func (v *gumbel) decide(t *tree, temperature float64, rng *rand.Rand, d *Decision) {
	moves := t.moves(0)
	clear(v.weights)
	visitWeights(moves, v.weights)
	keep := bestRank(moves)
	if keep == 0 {
		copy(d.Policy, v.weights)
		d.Action = SelectMove(d.Policy, temperature, rng)
		return
	}
	values := v.complete(t)
	most, best, highest := int32(-1), 0.0, math.Inf(-1)
	for i := range moves {
		e := &moves[i]
		if e.rank() != keep {
			continue
		}
		score := v.logits[e.action] + values.sigma(e)
		highest = max(highest, score)
		score += temperature * v.noise[e.action]
		if n := e.visits - v.before[e.action]; n > most || n == most && score > best {
			d.Action, most, best = game.Action(e.action), n, score
		}
	}
	sum, value := 0.0, 0.0
	for i := range moves {
		if e := &moves[i]; e.rank() == keep {
			weight := math.Exp(v.logits[e.action] + values.sigma(e) - highest)
			d.Policy[e.action] = float32(weight)
			sum += weight
			value += weight * values.q(e)
		}
	}
	d.Value = float32(value / sum)
	if v.simulations > v.halving {
		d.Action = SelectMove(v.weights, temperature, rng)
	}
}

// done is false: a search has as many simulations as it was given, unless its root is proven.
func (v *gumbel) done(*tree) bool { return false }
