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

// More games take longer, and so do longer searches. A forecast solves no positions.
func TestForecast(t *testing.T) {
	cfg := tinyConfig(t)
	cfg.Selfplay.GrowIterations, cfg.Search.Simulations = 10, 64
	cfg.Replay.ExactPlies = 6
	e := open(t, cfg.Game).(bound[mnk.State])
	newSolver := e.Exact.New
	e.Exact.New = func(o solver.Options) (solver.Solver[mnk.State], error) {
		t.Error("a forecast solves positions")
		return newSolver(o)
	}
	forecast := func() train.Forecast {
		f, err := e.Forecast(t.Context(), cfg, 50*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := forecast()
	cfg.Train.GamesPerIteration *= 50
	more := forecast()
	if f.First <= 0 || f.Grown <= f.First || math.IsInf(f.Grown, 0) || f.Grow != 10 || more.Grown < 5*f.Grown {
		t.Errorf("forecasts %+v and %+v", f, more)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, cfg.Game).Forecast(ctx, cfg, time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
