package arena_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"

	"tengen/arena"
	"tengen/game"
	"tengen/mcts"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// config is a match from the starting position, small enough for a test.
func config(games int) arena.MatchConfig {
	return arena.MatchConfig{Games: games, Seed: 1, Workers: 2, Lockstep: 8}
}

func play[S game.State[S]](t *testing.T, cfg arena.MatchConfig, g game.Game[S], player, against arena.Entrant[S]) (arena.Result, []arena.MatchGame) {
	t.Helper()
	records := make([]arena.MatchGame, cfg.Games)
	result, err := arena.Play(t.Context(), cfg, g, player, against, func(r arena.MatchGame, _ arena.Result) {
		records[r.Number] = r
	})
	if err != nil {
		t.Fatal(err)
	}
	return result, records
}

// entrant names a player that all workers may share because it keeps nothing.
func entrant[S game.State[S]](name string, choose chooser[S]) arena.Entrant[S] {
	return arena.Entrant[S]{Name: name, New: func() (arena.Player[S], error) { return choose, nil }}
}

func randomEntrant[S game.State[S]]() arena.Entrant[S] {
	return arena.Entrant[S]{Name: "random", New: func() (arena.Player[S], error) { return arena.NewRandom[S](), nil }}
}

func uctEntrant[S game.State[S]](playouts int) arena.Entrant[S] {
	return arena.Entrant[S]{Name: "uct", New: func() (arena.Player[S], error) {
		return arena.NewUCT[S](mcts.Budget{Simulations: playouts}), nil
	}}
}

// chooser makes a player of a function.
type chooser[S game.State[S]] func(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error

func (c chooser[S]) Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error {
	return c(ctx, positions, rngs, moves)
}
