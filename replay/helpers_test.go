package replay

import (
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/errtest"
)

var noError, wantError, wantPanic = errtest.NoError, errtest.Want, errtest.Panics

// plain learns the outcomes of the games alone.
func plain() Config {
	cfg := Default()
	cfg.Window, cfg.MinWindow, cfg.ValueMix, cfg.CutBlunders = 200_000, 10_000, 0, 0
	return cfg
}

// randomGame is a record of random moves and random searches with different weights, some without a policy; the first opening
// moves are without a search.
func randomGame[S game.State[S]](rules game.Game[S], number uint64, opening int, rng *rand.Rand) *Record {
	g := &Record{Number: number, Seed: 42, Model: number / 4, Opening: opening}
	state := rules.Start()
	for {
		if z, over := state.Outcome(); over {
			g.Outcome = game.FirstPlayerOutcome(z, state.ToMove())
			return g
		}
		legal := state.Legal(nil)
		move := legal[rng.IntN(len(legal))]
		if len(g.Moves) >= opening {
			policy := make([]float32, rules.Actions())
			for _, a := range legal {
				policy[a] = float32(rng.IntN(100))
			}
			policy[move]++
			if rng.IntN(8) == 0 {
				policy = nil
			}
			g.AppendSearch(policy, rng.Float32()*2-1, rng.IntN(1000), []uint16{0, 1, 100, FullWeight, 300}[rng.IntN(5)])
		}
		g.Moves = append(g.Moves, move)
		state = state.Play(move)
	}
}

// ticTacToe is a record of the given moves in tic-tac-toe, whose searches have visited the move played once and the highest
// legal one ply+1 times.
func ticTacToe(number uint64, outcome int8, moves ...game.Action) *Record {
	g := &Record{Number: number, Moves: moves, Outcome: outcome}
	state := mnk.TicTacToe().Start()
	for ply, a := range moves {
		legal := state.Legal(nil)
		policy := make([]float32, 9)
		policy[a] = 1
		policy[legal[len(legal)-1]] += float32(ply + 1)
		g.AppendSearch(policy, 0, ply+2, FullWeight)
		state = state.Play(a)
	}
	return g
}

var (
	// The first player wins with the top row.
	firstWins = []game.Action{0, 3, 1, 4, 2}
	// The second player wins with the middle row.
	secondWins = []game.Action{0, 3, 1, 4, 8, 5}
	draw       = []game.Action{0, 1, 2, 4, 3, 5, 7, 6, 8}
)

func window(cfg Config) *Window[mnk.State] {
	return NewWindow(mnk.TicTacToe(), cfg, nil)
}

func add[S game.State[S]](t *testing.T, w *Window[S], games ...*Record) {
	t.Helper()
	noError(t, w.Add(games...))
}
