package players_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"

	"tengen/game"
	"tengen/players"
	"tengen/players/playertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// build returns the player of a SPEC.
func build[S game.State[S]](t testing.TB, b players.Builder[S], text string) players.Player[S] {
	t.Helper()
	e, err := b.Build(playertest.Spec(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// newPlayer makes the player of a SPEC.
func newPlayer[S game.State[S]](t testing.TB, b players.Builder[S], text string) players.Answerer[S] {
	t.Helper()
	p, err := build(t, b, text).New()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// analyzeOne asks about one position.
func analyzeOne[S game.State[S]](ctx context.Context, p players.Answerer[S], position S, rng *rand.Rand) (*players.Analysis, error) {
	var answer [1]*players.Analysis
	err := p.Analyze(ctx, at(position), []*rand.Rand{rng}, answer[:])
	return answer[0], err
}

// at returns the lines of positions without a history.
func at[S game.State[S]](positions ...S) (lines []players.Line[S]) {
	for _, s := range positions {
		lines = append(lines, players.At(s))
	}
	return lines
}
