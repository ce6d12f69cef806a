package mcts

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/portable"
)

// gumbel is the root of Gumbel AlphaZero (Danihelka et al. 2022, algorithm 2 and section 4), for searches that explore:
// it chooses the root's moves, t.moves(0), and decides. Its data are indexed by action, because the order of moves
// changes.
//
// It draws m moves from the policy without replacement: those with the largest g(a) + logit(a), where g has the Gumbel
// distribution. Sequential halving divides the simulations by the score
//
//	g(a) + logit(a) + sigma(completed Q(a))
//
// The move played has the largest score among those with the most simulations. The policy to learn covers all moves:
//
//	pi' = softmax(logit + sigma(completed Q))
//
// The decision's value is the sum of pi'(a) Q(a): the root's mean includes the losers of the first rounds.
//
// Two things are not in the paper. The temperature multiplies g in the score that decides the move: 1 gives the paper's
// rule, 0 the best score without noise. A move proven lost drops out, and its simulations do not count.
//
// Only simulations of the current search count; Q and N cover the whole tree.
type gumbel struct {
	moves       int       // Config.GumbelMoves
	simulations int       // of the search
	considered  int       // m, or the moves not lost if fewer
	before      []int32   // [actions]: visits when the search began
	noise       []float64 // [actions]: g
	logits      []float64 // [actions]: ln of the prior
}

// minPrior, the smallest normal float32, bounds priors for logarithms.
const minPrior = 0x1p-126

func newGumbel(moves, actions int) *gumbel {
	return &gumbel{
		moves:  moves,
		before: make([]int32, actions),
		noise:  make([]float64, actions),
		logits: make([]float64, actions),
	}
}

// begin starts a search of further simulations once the root is expanded.
func (v *gumbel) begin(t *tree, simulations int, rng *rand.Rand) {
	v.simulations, v.considered = simulations, 0
	moves := t.moves(0)
	for i := range moves {
		e := &moves[i]
		v.before[e.action] = e.visits
		v.noise[e.action] = gumbelNoise(rng)
		v.logits[e.action] = portable.Log(e.mass())
		if e.proven != game.Loss {
			v.considered++
		}
	}
	v.considered = min(v.considered, v.moves)
}

// gumbelNoise draws from the standard Gumbel distribution.
func gumbelNoise(rng *rand.Rand) float64 {
	u := (float64(rng.Uint64()>>12) + 0.5) * 0x1p-52 // neither 0 nor 1
	return -portable.Log(-portable.Log(u))
}

func (e *edge) mass() float64 { return max(float64(e.prior), minPrior) }

// choose returns the edge of the next simulation: the move with the highest score among those with as many simulations
// as sequential halving considers next. If proofs have left none, it takes the nearest number below, else above.
func (v *gumbel) choose(t *tree) int32 {
	moves := t.moves(0)
	kept := 0 // simulations of this search among moves not proven lost
	for i := range moves {
		if moves[i].proven != game.Loss {
			kept += v.started(&moves[i])
		}
	}
	want := consideredVisits(v.considered, v.simulations, kept)
	values := v.complete(t)
	best, nearest, highest := int32(0), math.MaxInt, 0.0
	for i := range moves {
		e := &moves[i]
		if e.proven == game.Loss {
			continue
		}
		away := want - v.started(e)
		if away < 0 {
			away = math.MaxInt32 - away // after those from below
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
	if best >= n.tried {
		best = t.try(n, best)
	}
	return n.first + best
}

// started returns this search's simulations of a root move, including those in flight.
func (v *gumbel) started(e *edge) int {
	return int(e.visits+int32(e.pending)) - int(v.before[e.action])
}

// consideredVisits returns the simulations of the moves that sequential halving considers for simulation i, from 0, of
// n (Karnin, Koren, Somekh 2013, "Almost Optimal Exploration in Multi-Armed Bandits"). Each round spends an equal
// share, n / log2(moves), evenly on its moves, at least one on each. The better half advances; two stay to the end.
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

// completion completes Q for the root's moves.
type completion struct {
	mix   float64 // the value of an unknown move
	scale float64 // of sigma
}

// complete computes sigma's factor and the root's mixed value (appendix D of the paper), where v is the evaluator's
// value of the root:
//
//	v_mix = (v + N w) / (1 + N),  w = sum of P(a) Q(a) / sum of P(a) over the known a,  N = sum of N(a)
//
// v follows from the sums of values, see edge, unless the root is proven; then all moves worth playing are known.
func (v *gumbel) complete(t *tree) completion {
	value, visits, maxVisits := -t.edges[0].valueSum, 0.0, 0.0
	known, sum := 0.0, 0.0
	moves := t.moves(0)
	for i := range moves {
		e := &moves[i]
		value -= e.valueSum
		visits += float64(e.visits)
		maxVisits = max(maxVisits, float64(e.visits))
		if e.known() {
			known += e.mass()
			sum += float64(e.mass() * e.q())
		}
	}
	c := completion{mix: value, scale: 50 + maxVisits}
	if known > 0 {
		c.mix = (value + visits*sum/known) / (1 + visits)
	}
	return c
}

// q returns the completed Q of a move, in [-1, 1].
func (c completion) q(e *edge) float64 {
	if e.known() {
		return e.q()
	}
	return c.mix
}

// sigma returns the paper's sigma(q) = (c_visit + max over b of N(b)) c_scale q with its constants 50 and 1, where
// q = (Q + 1) / 2 for the completed Q.
func (c completion) sigma(e *edge) float64 { return float64(c.scale * (c.q(e) + 1) / 2) }

func (e *edge) known() bool { return e.visits > 0 || e.proven != game.Unknown }

// decide sets the policy to pi' over the moves worth playing, and plays one with the most simulations. If all moves are
// lost, the visits are the policy.
func (v *gumbel) decide(t *tree, temperature float64, rng *rand.Rand, d *Decision) {
	moves := t.moves(0)
	keep := bestRank(moves)
	if keep == 0 {
		visitWeights(moves, d.Policy)
		d.Action = SelectMove(d.Policy, temperature, rng)
		return
	}
	values := v.complete(t)
	maxVisits, best, highest := int32(-1), 0.0, math.Inf(-1)
	for i := range moves {
		e := &moves[i]
		if e.rank() != keep {
			continue
		}
		score := v.logits[e.action] + values.sigma(e)
		highest = max(highest, score)
		score += float64(temperature * v.noise[e.action])
		if n := e.visits - v.before[e.action]; n > maxVisits || n == maxVisits && score > best {
			d.Action, maxVisits, best = game.Action(e.action), n, score
		}
	}
	sum, value := 0.0, 0.0
	for i := range moves {
		if e := &moves[i]; e.rank() == keep {
			weight := portable.Exp(v.logits[e.action] + values.sigma(e) - highest)
			d.Policy[e.action] = float32(weight)
			sum += weight
			value += float64(weight * values.q(e))
		}
	}
	d.Value = float32(value / sum)
}
