package eval_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"

	"tengen/eval"
	"tengen/game"
	"tengen/players"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// config is a match from the starting position, small enough for a test.
func config(games int) eval.MatchConfig {
	return eval.MatchConfig{Games: games, Seed: 1, Workers: 2}
}

func play[S game.State[S]](t *testing.T, cfg eval.MatchConfig, g game.Game[S], player, against players.Player[S]) (eval.Result, []eval.MatchGame) {
	t.Helper()
	records := make([]eval.MatchGame, cfg.Games)
	result, err := eval.Play(t.Context(), cfg, g, player, against, func(r eval.MatchGame, _ eval.Result) {
		records[r.Number] = r
	})
	if err != nil {
		t.Fatal(err)
	}
	return result, records
}

// entrant names a player that all workers may share because it keeps nothing.
func entrant[S game.State[S]](name string, choose chooseFunc[S]) players.Player[S] {
	return players.Player[S]{Name: name, New: func() (players.Answerer[S], error) { return chooser[S]{choose: choose}, nil }}
}

type chooseFunc[S game.State[S]] func(ctx context.Context, lines []players.Line[S], rngs []*rand.Rand, moves []game.Action) error

// chooser is a player for matches, which is not asked to explain its moves.
type chooser[S game.State[S]] struct {
	players.Answerer[S]
	choose chooseFunc[S]
}

func (c chooser[S]) Choose(ctx context.Context, lines []players.Line[S], rngs []*rand.Rand, moves []game.Action) error {
	return c.choose(ctx, lines, rngs, moves)
}
