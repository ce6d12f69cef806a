package replay

import (
	"math/rand/v2"

	"tengen/game"
)

// RandomRecord returns a finished game of random moves drawn from rng, for benchmarks and tests. It is like a self-play
// game without an opening: each search visited all legal moves 1 to 9 times and found the value 0.
func RandomRecord[S game.State[S]](rules game.Game[S], number uint64, rng *rand.Rand) *Record {
	g := &Record{Number: number}
	state := rules.Start()
	var legal []game.Action
	for {
		if z, over := state.Outcome(); over {
			g.Outcome = game.FirstPlayerOutcome(z, state.ToMove())
			return g
		}
		legal = state.Legal(legal[:0])
		policy, simulations := make([]float32, rules.Actions()), 0
		for _, a := range legal {
			visits := 1 + rng.IntN(9)
			policy[a] = float32(visits)
			simulations += visits
		}
		g.AppendSearch(policy, 0, simulations, FullWeight)
		move := legal[rng.IntN(len(legal))]
		g.Moves = append(g.Moves, move)
		state = state.Play(move)
	}
}
