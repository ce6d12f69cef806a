package cluster

import (
	"testing"
	"time"
)

// A run plays by itself.
func TestAlone(t *testing.T) {
	f := newField(t)
	p := f.coordinator(func(cfg *CoordinatorConfig) { cfg.Local = &toy{parallel: 4} })
	s := newSink()
	for model, list := range [][]uint64{numbers(0, 1000), numbers(1000, 1500), {2000, 2005, 2006}} {
		start := time.Now()
		stats, err := p.Generate(t.Context(), uint64(model), weights, list, s)
		t.Log(time.Since(start), stats)
		if err != nil || stats.Games != len(list) {
			t.Fatal(stats, err)
		}
		s.check(t, uint64(model), list)
	}
}

// Workers alone play a run.
func TestWorkersAlone(t *testing.T) {
	f := newField(t, "a", "b")
	p := f.coordinator(nil)
	s := newSink()
	f.work("a", &toy{parallel: 8})
	f.work("b", &toy{parallel: 8})
	for model := range uint64(3) {
		list := numbers(model*500, (model+1)*500)
		start := time.Now()
		stats, err := p.Generate(t.Context(), model, weights, list, s)
		t.Log(time.Since(start), stats, s.workers)
		if err != nil {
			t.Fatal(err)
		}
		s.check(t, model, list)
	}
	if s.of("a")+s.of("b") != 1500 || s.of("a") == 0 || s.of("b") == 0 {
		t.Error("games by worker: ", s.workers)
	}
}
