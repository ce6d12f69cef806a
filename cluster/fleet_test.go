package cluster

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"tengen/cluster/natslog"
	"tengen/internal/fulltest"
	tnet "tengen/net"
	"tengen/replay"
	"tengen/replay/logtest"
)

// A thousand workers play for ten minutes with
//
//	go test ./cluster -run Fleet -timeout 30m -v -args -soak 10m
var soak = flag.Duration("soak", 0, "for how long a thousand workers play; 0: fewer do for some seconds")

// freePlayer plays games that cost nothing, and last as long as they are told to.
type freePlayer struct {
	seats int
	moves int                  // of each game; 0: 5
	games func() time.Duration // how long the next game lasts; nil: no time at all
}

func (p freePlayer) Seats() int { return p.seats }

func (p freePlayer) Play(
	ctx context.Context, model uint64, _ *tnet.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var playing sync.WaitGroup
	for range p.seats {
		number, ok := next()
		if !ok {
			break
		}
		playing.Go(func() {
			for ok := true; ok; number, ok = next() {
				if p.games != nil {
					select {
					case <-time.After(p.games()):
					case <-ctx.Done():
						return
					}
				}
				g := logtest.Game(number, cmp.Or(p.moves, 5))
				g.Model = model
				if err := finished(g); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	playing.Wait()
	if ctx.Err() != nil {
		return replay.Stats{}, context.Cause(ctx)
	}
	return replay.Stats{}, nil
}

// inMemory makes the test's folders where nothing waits for a disk, if the system has such a place.
func inMemory(t *testing.T) {
	if _, err := os.Stat("/dev/shm"); err == nil {
		t.Setenv("TMPDIR", "/dev/shm")
	}
}

// Many more workers than a run has use for play no more games than it learns from, and cost it nothing that grows.
func TestFleet(t *testing.T) {
	fulltest.Only(t)
	inMemory(t)
	workers, n, duration := 100, 60, 3*time.Second
	if *soak > 0 {
		workers, n, duration = 1000, 500, *soak
	}
	s := startServer(t, natslog.ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
	c := startCoordinator(t, connect(t, s), CoordinatorConfig{MaxModelAge: 2, MaxBacklog: 1, Check: anyGame})
	dir := t.TempDir()
	joining := make(chan int)
	var joined sync.WaitGroup
	for range 16 { // each worker of another speed
		joined.Go(func() {
			for i := range joining {
				cfg := workerConfig(filepath.Join(dir, fmt.Sprint(i)))
				usual := 10*time.Millisecond + time.Duration(i%10)*5*time.Millisecond
				cfg.Open = func(Settings, uint64) (Player, error) {
					return freePlayer{seats: 32, games: func() time.Duration { return usual/2 + rand.N(usual) }}, nil
				}
				startWorker(t, dial(t, s.URL(), cfg), cfg)
			}
		})
	}
	for i := range workers {
		joining <- i
	}
	close(joining)
	joined.Wait()

	var taken, refused uint64
	var heap uint64 // in the middle
	model, cursor := uint64(0), uint64(0)
	const settled = 20 // iterations, after which the beginning does not count for much, however slow the machine
	begin := time.Now()
	for time.Since(begin) < duration || model < settled {
		h := c.next(t, model, cursor, n)
		if err := c.Retain(t.Context(), 5*n); err != nil {
			t.Fatal(err)
		}
		model, cursor, taken = model+1, h.Cursor, taken+uint64(n)
		if heap == 0 && time.Since(begin) > duration/2 {
			heap = heapInUse()
			t.Logf("in the middle: %d MB, %d goroutines", heap>>20, runtime.NumGoroutine())
		}
	}
	refused = c.Refused()
	last, err := c.log.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waiting := last - cursor
	t.Logf("%d workers, %d iterations of %d games in %v: %d games taken, %d refused, %d waiting; in the end %d MB, %d goroutines",
		workers, model, n, time.Since(begin).Round(time.Second), taken, refused, waiting, heapInUse()>>20, runtime.NumGoroutine())
	if share := float64(taken) / float64(taken+refused); share < 0.9 {
		t.Errorf("%.1f %% of the games are learned from, want 90 at least", 100*share)
	}
	if waiting > uint64(2*n) {
		t.Errorf("%d games wait, more than are wanted", waiting)
	}
	if now := heapInUse(); *soak > 0 && float64(now) > 1.1*float64(heap) {
		t.Errorf("the heap has grown from %d to %d MB", heap>>20, now>>20)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
