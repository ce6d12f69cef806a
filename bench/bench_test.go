package bench

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/run/runtest"
)

// The report has the work of an iteration. A benchmark with train.from needs no such model.
func TestBench(t *testing.T) {
	cfg := runtest.Config()
	r, err := Measure(t.Context(), cfg, 1, func(string) {})
	noError(t, err)
	if w := r.Iteration; !(w.Play > 0) || !(w.Learn > 0) || math.IsInf(w.Play+w.Learn, 0) {
		t.Errorf("%+v", w)
	}
	cfg.Train.From = "the model of a run that comes first"
	_, err = Measure(t.Context(), cfg, 1, func(string) {})
	noError(t, err)
	cfg.Train.From = ""
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, cfg, 1, func(string) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A network that cannot fit is refused with its size before anything is made.
func TestNetworkThatCannotFit(t *testing.T) {
	cfg := runtest.Config()
	cfg.Game, cfg.Net.Channels, cfg.Net.Blocks, cfg.Train.BatchSize, cfg.Replay.Window = "connect4", 512, 50, 1<<16, 1<<16
	_, measured := Measure(t.Context(), cfg, 1, nil)
	_, planned := NewPlan(t.Context(), cfg, nil, hours, 1, nil)
	for _, err := range []error{measured, planned} {
		if !errors.As(err, new(engine.InputError)) || !strings.Contains(err.Error(), "parameters takes at least") {
			t.Errorf("error %v", err)
		}
	}
}
