package solver_test

import (
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/solver"
)

// estimating is a game state that can be searched to a limited depth.
type estimating[S any] interface {
	game.State[S]
	solver.Estimator
}

// A search of limited depth is plain minimax of that depth with estimates at its end: the same value, the same best moves,
// bounds for the others.
func TestSearcherIsMinimaxOfEstimates(t *testing.T) {
	c4, mnk := newConnect4(t, "6,5,4"), newMNK(t, "4,4,4")
	t.Run("connect4", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { checkEstimates(t, c4) })
	})
	t.Run("mnk", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { checkEstimates(t, mnk) })
	})
}

func checkEstimates[S estimating[S]](t *rapid.T, g game.Game[S]) {
	config := rapid.SampledFrom(configs).Draw(t, "config")
	depth := rapid.IntRange(1, 4).Draw(t, "depth")
	s := drawPosition(t, g, 0)
	legal := s.Legal(nil)
	if len(legal) == 0 {
		return
	}
	searcher, err := solver.NewSearcher(g, config)
	if err != nil {
		t.Fatal(err)
	}
	result := deepen(t.Context(), searcher, s, depth)
	if full := min(depth, g.MaxPlies()-s.Ply()); result.Depth > full || result.Depth < full && !result.Proven {
		t.Fatalf("%+v; want depth %d", result, full)
	}
	values := map[game.Action]solver.Value{}
	best := -beyond
	for _, a := range legal {
		values[a] = -minimaxOfEstimates(s.Play(a), result.Depth-1, g.MaxPlies())
		best = max(best, values[a])
	}
	if result.Moves[0].Value != best || len(result.Moves) != len(values) {
		t.Fatalf("%+v; want value %d of %v", result, best, values)
	}
	for _, m := range result.Moves {
		if m.Value < values[m.Action] || (m.Value == best) != (values[m.Action] == best) {
			t.Fatalf("%+v: move %d has value %d; want %d of %v", result, m.Action, m.Value, values[m.Action], values)
		}
	}
}

// beyond is above all values.
const beyond = 2 * solver.Value(solver.EstimateLimit)

// minimaxOfEstimates is the oracle: no window, no table, no order.
func minimaxOfEstimates[S estimating[S]](s S, depth, cells int) solver.Value {
	if score, over := solver.Final(s, cells); over {
		return solver.Value(score) + solver.Value(score.Sign()*solver.EstimateLimit)
	}
	if depth == 0 {
		return solver.Value(s.Estimate())
	}
	best := -beyond
	for _, a := range s.Legal(nil) {
		best = max(best, -minimaxOfEstimates(s.Play(a), depth-1, cells))
	}
	return best
}

// Estimates stay within the limit on the largest boards, where lines are most and longest, while each side fills the board
// from its own end.
func TestEstimatesAreWithinTheLimit(t *testing.T) {
	for _, numbers := range []string{"20,20,5", "20,20,10", "20,20,20"} {
		checkLimit(t, newMNK(t, numbers))
	}
	for _, numbers := range []string{"8,8,4", "8,8,8"} {
		checkLimit(t, newConnect4(t, numbers))
	}
}

func checkLimit[S estimating[S]](t *testing.T, g game.Game[S]) {
	s := g.Start()
	for {
		legal := s.Legal(nil)
		if len(legal) == 0 {
			return
		}
		if e := s.Estimate(); e <= -solver.EstimateLimit || e >= solver.EstimateLimit {
			t.Fatalf("%s: estimate %d in ply %d; want less than %d", g.Name(), e, s.Ply(), solver.EstimateLimit)
		}
		s = s.Play(legal[s.Ply()%2*(len(legal)-1)])
	}
}
