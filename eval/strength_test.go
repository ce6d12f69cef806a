package eval_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"tengen/eval/rating"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/players"
	"tengen/players/playertest"
	"tengen/solver"
)

func TestPerfectPlayerScoresAsComputed(t *testing.T) {
	const games = 2500
	g := mnk.TicTacToe()
	m := perfect{solver.NewAlphaBeta(g, solver.Config{TableEntries: 1 << 14})}
	perfect := entrant("perfect", func(_ context.Context, lines []players.Line[mnk.State], _ []*rand.Rand, moves []game.Action) error {
		for i, l := range lines {
			s := l.Position
			moves[i] = m.best(s)
		}
		return nil
	})
	cfg := config(games)
	cfg.Workers = 1 // the solver is not safe for concurrent use
	result, _ := play(t, cfg, g, perfect, playertest.Player(t, g, "random"))

	if losses := result.Total().Losses; losses != 0 {
		t.Errorf("the perfect player loses %d games", losses)
	}
	for _, c := range []struct {
		name  string
		tally rating.Tally
		want  float64
	}{
		{"as first", result.AsFirst, (1 + m.expected(g.Start(), true)) / 2},
		{"as second", result.AsSecond, (1 - m.expected(g.Start(), false)) / 2},
	} {
		if got := c.tally.Score(); math.Abs(got-c.want) > 4*0.5/math.Sqrt(games/2) {
			t.Errorf("%s: score %.4f, want about %.4f", c.name, got, c.want)
		}
	}

	// From both chairs it draws itself.
	cfg.Games = 10
	if result, _ := play(t, cfg, g, perfect, perfect); result.Total() != (rating.Tally{Draws: 10}) {
		t.Errorf("perfect play against itself: %v", result)
	}
}

// perfect is a player that takes the first of the best moves.
type perfect struct{ *solver.AlphaBeta[mnk.State] }

func (p perfect) best(s mnk.State) game.Action {
	best, err := solver.Best(context.Background(), p, s)
	if err != nil {
		panic(err)
	}
	return best[0]
}

// expected is the mean outcome for the side to move where one side is perfect and the other random.
func (p perfect) expected(s mnk.State, perfectToMove bool) float64 {
	if z, over := s.Outcome(); over {
		return float64(z)
	}
	if perfectToMove {
		return -p.expected(s.Play(p.best(s)), false)
	}
	legal := s.Legal(nil)
	sum := 0.0
	for _, a := range legal {
		sum -= p.expected(s.Play(a), true)
	}
	return sum / float64(len(legal))
}
