package bench

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"tengen/engine"
	"tengen/game/mnk"
	"tengen/run"
	"tengen/run/runtest"
	"tengen/solver"
	"tengen/train"
)

// A forecast is a time and solves no positions.
func TestForecast(t *testing.T) {
	cfg := forecastConfig(t)
	cfg.Game, cfg.Replay.ExactPlies = "unsolved", 6
	f, err := forecast(t.Context(), cfg, Choice{}, 50*time.Millisecond)
	if err != nil || !(f.First > 0) || !(f.Grown > 0) || math.IsInf(f.First+f.Grown, 0) || f.Grow != 10 {
		t.Errorf("forecast %+v, %v", f, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := forecast(ctx, cfg, Choice{}, time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// unsolved is tic-tac-toe whose solvers fail.
var unsolved = run.Of(engine.Rules[mnk.State, *mnk.Game]{
	Name: "unsolved", Form: "unsolved", Parse: func(string) (*mnk.Game, error) { return mnk.TicTacToe(), nil },
	Maker: func(*mnk.Game) solver.Maker[mnk.State] {
		return solver.Maker[mnk.State]{New: func(solver.Options) (solver.Solver[mnk.State], error) {
			return nil, errors.New("a forecast solves positions")
		}}
	},
})

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
	if got, want := (gameSize{lookups: 400, positions: 20}).load(cfg, 1000, 500), (train.Load{Play: 40, Learn: 12}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
