package run

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"tengen/game/mnk"
	"tengen/solver"
	"tengen/train"
)

// A forecast is a time and solves no positions.
func TestForecast(t *testing.T) {
	cfg := forecastConfig(t)
	cfg.Replay.ExactPlies = 6
	e := open(t, cfg.Game).(typedGame[mnk.State])
	newSolver := e.Exact.New
	e.Exact.New = func(o solver.Options) (solver.Solver[mnk.State], error) {
		t.Error("a forecast solves positions")
		return newSolver(o)
	}
	f, err := e.Forecast(t.Context(), cfg, Choice{}, 50*time.Millisecond)
	if err != nil || !(f.First > 0) || !(f.Grown > 0) || math.IsInf(f.First+f.Grown, 0) || f.Grow != 10 {
		t.Errorf("forecast %+v, %v", f, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, cfg.Game).Forecast(ctx, cfg, Choice{}, time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func forecastConfig(t *testing.T) Config {
	cfg := tinyConfig(t)
	cfg.Selfplay.GrowIterations, cfg.Search.Simulations = 10, 64
	return cfg
}

// Longer searches take more evaluations. A window of no time has one game for each place.
func TestForecastGames(t *testing.T) {
	cfg := forecastConfig(t)
	e := open(t, cfg.Game).(typedGame[mnk.State])
	first, err := e.forecastGames(t.Context(), cfg, 0, 0)
	noError(t, err)
	grown, err := e.forecastGames(t.Context(), cfg, 10, 0)
	noError(t, err)
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
