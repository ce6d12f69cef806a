package mcts

import (
	"math"
	"math/rand/v2"
	"testing"

	"tengen/game"
)

// turns is a variant that has nothing in common with PUCT: the root's moves take turns until each has had Rounds simulations.
// It plays the move of the best mean value, to which self-play adds luck, and teaches that all moves are equal.
type turns struct {
	before []int32   // [actions]: the visits when the search began
	luck   []float64 // [actions]: in [0, 1), 0 outside of self-play
}

// Rounds is the number of simulations that turns gives each move.
const Rounds = 5

// UseTurns makes every search that is made during the test a search by turns.
func UseTurns(t *testing.T) {
	before := newVariant
	newVariant = func(_ Config, actions int) (exploring, playing variant) {
		v := &turns{make([]int32, actions), make([]float64, actions)}
		return v, v
	}
	t.Cleanup(func() { newVariant = before })
}

func (v *turns) begin(t *tree, _ int, rng *rand.Rand) {
	clear(v.luck)
	for _, e := range t.moves(0) {
		v.before[e.action] = e.visits
		if rng != nil {
			v.luck[e.action] = rng.Float64()
		}
	}
}

func (v *turns) choose(t *tree) int32 {
	moves := t.moves(0)
	best, fewest := int32(0), int32(math.MaxInt32)
	for i, e := range moves {
		if had := e.visits + int32(e.pending) - v.before[e.action]; e.proven != game.Loss && had < fewest {
			best, fewest = int32(i), had
		}
	}
	n := &t.nodes[t.edges[0].child]
	if best >= n.opened {
		best = t.enter(n, best)
	}
	return n.first + best
}

func (v *turns) done(t *tree) bool {
	for _, e := range t.moves(0) {
		if e.proven != game.Loss && e.visits-v.before[e.action] < Rounds {
			return false
		}
	}
	return true
}

func (v *turns) decide(t *tree, _ float64, _ *rand.Rand, d *Decision) {
	moves := t.moves(0)
	keep, best := bestRank(moves), math.Inf(-1)
	for i := range moves {
		e := &moves[i]
		if e.rank() != keep {
			continue
		}
		d.Policy[e.action] = 1
		score := v.luck[e.action]
		if e.visits > 0 {
			score += e.valueSum / float64(e.visits)
		}
		if score > best {
			d.Action, best = game.Action(e.action), score
		}
	}
}
