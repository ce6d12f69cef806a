package run

import (
	"context"
	"errors"
	"math"
	"testing"

	"tengen/train"
)

// The report has the work of an iteration, and what follows from it. A benchmark with train.from needs no
// such model.
func TestBenchForWorkers(t *testing.T) {
	cfg := tinyConfig(t)
	r, err := open(t, cfg.Game).Bench(t.Context(), cfg, 1, func(string) {})
	noError(t, err)
	w := r.Workers
	if !(w.Play > 0) || !(w.Learn > 0) || math.IsInf(w.Play+w.Learn, 0) || w.Games != cfg.Train.GamesPerIteration || w.GamesAtOnce < 1 {
		t.Errorf("%+v", w)
	}
	if l := (train.Load{Play: w.Play, Learn: w.Learn}); w.Worth != l.Worth() || w.Limit != l.Limit() || w.Most != l.Most() {
		t.Errorf("%+v does not follow from %+v", w, l)
	}
	cfg.Train.From = "the model of a run that comes first"
	_, err = open(t, cfg.Game).Bench(t.Context(), cfg, 1, func(string) {})
	noError(t, err)
	cfg.Train.From = ""
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, cfg.Game).Bench(ctx, cfg, 1, func(string) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
