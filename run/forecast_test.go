package run

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"tengen/train"
)

// Work that is doubled takes twice as long, early and late.
func TestForecast(t *testing.T) {
	cfg := tinyConfig(t)
	cfg.Selfplay.StartSimulations, cfg.Selfplay.GrowIterations, cfg.Search.Simulations = 2, 10, 64
	forecast := func() train.Forecast {
		f, err := open(t, cfg.Game).Forecast(t.Context(), cfg, 50*time.Millisecond)
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
