package cluster

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/internal/fulltest"
	"tengen/selfplay"
)

// Workers, trainer and server are killed and started again at random, and every game is kept once, with the bytes that it has in
// a run without workers.
func TestChaos(t *testing.T) {
	t.Parallel()
	names := workerNames(3)
	f := newField(t, names...)
	address := strings.TrimPrefix(f.server.URL(), "nats://")
	ends := map[string]func(){}
	workers := func(chance float64) {
		for _, name := range names {
			if rand.Float64() < chance {
				if end := ends[name]; end != nil {
					end()
				}
				_, ends[name], _ = f.work(name, &toy{parallel: 8, pace: time.Millisecond})
			}
		}
	}
	for model := range fulltest.Pick[uint64](2, 20) {
		const games = 600
		list, s := numbers(model*games, (model+1)*games), newSink()
		restarts := 0
		for missing := list; len(missing) > 0; missing = s.missing(list) {
			p := f.coordinator(func(cfg *CoordinatorConfig) {
				if rand.Float64() < 0.5 {
					cfg.Local = &toy{parallel: 4, pace: 3 * time.Millisecond}
				}
			})
			if model == 0 && restarts == 0 {
				workers(1)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var playing sync.WaitGroup
			playing.Go(func() { p.Play(ctx, model, weights, selfplay.Numbers(missing), s) })
			pause(t.Context(), time.Duration(rand.N(400))*time.Millisecond)
			workers(0.2)
			if restarts++; restarts < 8 {
				pause(t.Context(), time.Duration(rand.N(400))*time.Millisecond)
				cancel() // the trainer is killed
			}
			playing.Wait()
			cancel()
			p.Close()
			if rand.Float64() < 0.5 {
				f.server.Close()
				f.start(address)
			}
		}
		s.check(t, model, list)
		t.Logf("model %d: %d trainers, games by worker %v", model, restarts, s.workers)
	}
}
