package cluster

import (
	"testing"
	"time"

	"tengen/selfplay"
)

// A run plays by itself.
func TestAlone(t *testing.T) {
	f := newField(t)
	p := f.coordinator(func(cfg *CoordinatorConfig) { cfg.Local = &toy{parallel: 4} })
	s := newSink()
	for model, list := range [][]uint64{numbers(0, 1000), numbers(1000, 1500), {2000, 2005, 2006}} {
		start := time.Now()
		stats, err := p.Play(t.Context(), uint64(model), weights, selfplay.Numbers(list), s)
		t.Log(time.Since(start), stats)
		if err != nil || stats.Games != len(list) {
			t.Fatal(stats, err)
		}
		s.check(t, uint64(model), list)
	}
}
