package eval_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"tengen/eval/rating"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

func TestEqualPlayersScoreHalf(t *testing.T) {
	cfg := config(4000)
	cfg.OpeningPlies = 2
	chance := plain(t, connect4.Standard(), "random")
	result, _ := play(t, cfg, connect4.Standard(), chance, chance)
	// Four standard deviations of a mean of 4000.
	if score := result.Total().Score(); math.Abs(score-0.5) > 4*0.5/math.Sqrt(4000) {
		t.Errorf("random against random: %v", result)
	}
	if result.AsFirst.Score() <= result.AsSecond.Score() {
		t.Errorf("the first move is no advantage: %v as first, %v as second", result.AsFirst, result.AsSecond)
	}
}

func TestUCTBeatsRandom(t *testing.T) {
	cfg := config(40)
	cfg.OpeningPlies = 2
	g := connect4.Standard()
	result, _ := play(t, cfg, g, plain(t, g, "uct:200"), plain(t, g, "random"))
	if low := result.Total().ScoreInterval().Low; low < 0.85 {
		t.Errorf("%v, want a score of 85 %% at the very least", result)
	}
}

func TestPerfectPlayerScoresAsComputed(t *testing.T) {
	const games = 2500
	g := mnk.TicTacToe()
	m := minimax{}
	perfect := entrant("minimax", func(_ context.Context, positions []mnk.State, _ []*rand.Rand, moves []game.Action) error {
		for i, s := range positions {
			moves[i] = m.best(s)
		}
		return nil
	})
	cfg := config(games)
	cfg.Workers = 1 // minimax is not safe for concurrent use
	result, _ := play(t, cfg, g, perfect, plain(t, g, "random"))

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
		t.Errorf("minimax against itself: %v", result)
	}
}

// minimax remembers the values of positions, for the side to move.
type minimax map[game.Key]float64

func (m minimax) value(s mnk.State) float64 {
	if z, over := s.Outcome(); over {
		return float64(z)
	}
	if v, ok := m[s.Key()]; ok {
		return v
	}
	v := -m.value(s.Play(m.best(s)))
	m[s.Key()] = v
	return v
}

// best is the first of the best moves.
func (m minimax) best(s mnk.State) game.Action {
	best, bestValue := game.None, -2.0
	for _, a := range s.Legal(nil) {
		if v := -m.value(s.Play(a)); v > bestValue {
			best, bestValue = a, v
		}
	}
	return best
}

// expected is the mean outcome for the side to move where one side is perfect and the other random.
func (m minimax) expected(s mnk.State, perfectToMove bool) float64 {
	if z, over := s.Outcome(); over {
		return float64(z)
	}
	if perfectToMove {
		return -m.expected(s.Play(m.best(s)), false)
	}
	legal := s.Legal(nil)
	sum := 0.0
	for _, a := range legal {
		sum -= m.expected(s.Play(a), true)
	}
	return sum / float64(len(legal))
}
