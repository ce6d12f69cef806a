package selfplay

import (
	"fmt"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/mcts"
)

// BenchmarkForcedNodes plays games with an evaluator that knows nothing and costs nothing, without and with a prover at the
// leaves: how many evaluations a move needs, and what the rest of a simulation costs.
func BenchmarkForcedNodes(b *testing.B) {
	for _, nodes := range []int{0, 1, 100, 1000} {
		b.Run(fmt.Sprintf("connect4/nodes=%d", nodes), func(b *testing.B) { benchmarkGames(b, connect4.Standard(), nodes) })
		b.Run(fmt.Sprintf("gomoku/nodes=%d", nodes), func(b *testing.B) { benchmarkGames(b, mnk.Gomoku(), nodes) })
	}
}

func benchmarkGames[S game.State[S]](b *testing.B, g game.Game[S], nodes int) {
	search := alphaZeroSearch()
	search.ForcedNodes = nodes
	p := NewPool(g, alphaZero(), search, 1, []mcts.Evaluator[S]{&mcts.Uniform[S]{}})
	searches, simulations, evaluations := 0, int64(0), int64(0)
	for b.Loop() {
		games, stats := generate(b, p, 0, 20)
		simulations += stats.Simulations
		evaluations += stats.CacheLookups // whether or not the cache had it
		for _, g := range games {
			searches += len(g.Moves) - g.Opening
		}
	}
	b.ReportMetric(float64(simulations)/float64(searches), "simulations/move")
	b.ReportMetric(float64(evaluations)/float64(searches), "evaluations/move")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(simulations), "ns/simulation")
}
