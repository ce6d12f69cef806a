package bench

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"tengen/engine"
	"tengen/eval/rating"
	"tengen/game/mnk"
	"tengen/run"
	"tengen/run/runtest"
	"tengen/solver"
	"tengen/train"
	"tengen/train/checkpoint"
)

// A forecast is a time and solves no positions.
func TestForecast(t *testing.T) {
	cfg := forecastConfig(t)
	cfg.Game, cfg.Replay.ExactPlies = "unsolved", 6
	f, err := forecast(t.Context(), cfg, nil, nil, 50*time.Millisecond)
	if err != nil || !(f.First > 0) || !(f.Grown > 0) || math.IsInf(f.First+f.Grown, 0) || f.Grow != 10 {
		t.Errorf("forecast %+v, %v", f, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := forecast(ctx, cfg, nil, nil, time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// unsolved is tic-tac-toe whose solvers fail.
var unsolved = engine.Rules[mnk.State, *mnk.Game]{
	Name: "unsolved", Form: "unsolved", Parse: func(string) (*mnk.Game, error) { return mnk.TicTacToe(), nil },
	Maker: func(*mnk.Game) solver.Maker[mnk.State] {
		return solver.Maker[mnk.State]{New: func(solver.Options) (solver.Solver[mnk.State], error) {
			return nil, errors.New("a forecast solves positions")
		}}
	},
}

func forecastConfig(t *testing.T) run.Config {
	cfg := runtest.Config()
	cfg.Selfplay.GrowIterations, cfg.Search.Simulations = 10, 64
	return cfg
}

// Longer searches take more evaluations. A window of no time has one game for each place.
func TestForecastGames(t *testing.T) {
	cfg := forecastConfig(t)
	m, err := newMeasurer(t.Context(), cfg, 0, nil)
	noError(t, err)
	first, grown := m.size(0, 0), m.size(10, 0)
	noError(t, m.err)
	if first.lookups <= 0 || first.positions <= 0 || grown.lookups <= first.lookups {
		t.Errorf("a game of the first iteration causes %+v, a later one %+v", first, grown)
	}
}

// An iteration evaluates and learns for each of its games.
func TestForecastLoad(t *testing.T) {
	cfg := train.Default()
	cfg.GamesPerIteration, cfg.Passes = 100, 3
	if got, want := (gameSize{lookups: 400, positions: 20}).load(cfg, 1000, 500), (Load{Play: 40, Learn: 12}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A forecast of a minute: searches grow over the first four iterations.
func TestForecastIterations(t *testing.T) {
	f := Forecast{First: 2, Grown: 10, Grow: 4} // 2, 4, 6, 8, 10, 10 ... seconds
	for _, test := range []struct {
		done, last int
		left       time.Duration
		n          int
	}{
		{0, 1, 2, 1}, {0, 2, 6, 2}, {0, 5, 30, 5}, {0, 8, 60, 8}, {1, 3, 10, 2}, {3, 5, 18, 3}, {5, 5, 0, 1},
	} {
		if got := f.Left(test.done, test.last); got != test.left*time.Second {
			t.Errorf("iterations %d to %d take %v, want %d s", test.done+1, test.last, got, test.left)
		}
		if got := f.Iterations(test.left * time.Second); got != test.n {
			t.Errorf("%d iterations within %d s, want %d", got, test.left, test.n)
		}
	}
	e := Forecast{First: 2, Grown: 2, Evaluation: 5, Every: 6} // after 3, 6, 12, 18, 24, 30 of 30 iterations
	for last, want := range map[int]time.Duration{5: 10 + 5, 6: 12 + 5, 7: 14 + 10, 20: 40 + 25, 30: 60 + 30} {
		if got := e.Left(0, last); got != want*time.Second {
			t.Errorf("%d iterations with evaluations take %v, want %d s", last, got, want)
		}
	}
	if got := e.Evaluating(3, 30); got != 25*time.Second {
		t.Errorf("evaluations after the third iteration take %v, want 25 s", got)
	}
	if f, ok := KnownForecast(nil, train.Config{}); ok {
		t.Errorf("%+v without metrics", f)
	}
	past := make([]checkpoint.Metrics, 12) // the first two are too old
	past[0].Seconds.Total, past[2].Seconds.Total, past[11].Seconds.Total = 1000, 10, 20
	if f, ok := KnownForecast(past, train.Config{}); !ok || f.Left(12, 14) != 6*time.Second {
		t.Errorf("%+v, %v, want 3 s each", f, ok)
	}
	past[11].Evaluation, past[11].Seconds.Evaluate = map[string]rating.Tally{}, 10
	if f, ok := KnownForecast(past, train.Config{EvaluateEvery: 14}); !ok || f.Left(12, 14) != 14*time.Second {
		t.Errorf("%+v, %v, want 2 s each, and 10 s for an evaluation", f, ok)
	}
}

// Searches have their full length in the second half of a short run, unless that is fixed.
func TestForecastHalfway(t *testing.T) {
	f := Forecast{First: 2, Grown: 10, Grow: 4, Halfway: true}
	for last, want := range map[int]struct {
		grow int
		left time.Duration // 2, 10; 2, 6, 10, 10; 2, 4, 6, 8, 10, 10 ... seconds
	}{1: {1, 2}, 2: {1, 12}, 4: {2, 28}, 8: {4, 60}, 10: {4, 80}} {
		if grow, left := f.GrowIterations(last), f.Left(0, last); grow != want.grow || left != want.left*time.Second {
			t.Errorf("%d iterations take %v and grow until %d, want %+v", last, left, grow, want)
		}
		if n := f.Iterations(want.left * time.Second); n != last {
			t.Errorf("%d iterations within %d s, want %d", n, want.left, last)
		}
	}
	for want, f := range []Forecast{{Halfway: true}, {Grow: 1}, {Grow: 2}} {
		if got := f.GrowIterations(2); got != want {
			t.Errorf("%+v grows until %d, want %d", f, got, want)
		}
	}
}

// A short run has 20 iterations with as many games as it has time for, but enough to fill a batch.
func TestForecastWithin(t *testing.T) {
	f := Forecast{First: 2, Grown: 2, Games: 100, Fewest: 10, Evaluation: 1, Every: 10} // three evaluations
	for d, want := range map[time.Duration]struct{ games, iterations int }{
		86: {100, 40}, 43: {100, 20}, 23: {50, 20}, 4: {10, 10}, 1: {10, 1},
	} {
		w := f.Within(d * time.Second)
		if n := w.Iterations(d * time.Second); w.Games != want.games || n != want.iterations {
			t.Errorf("%d iterations of %d games within %d s, want %+v", n, w.Games, d, want)
		}
	}
}
