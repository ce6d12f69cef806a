package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"tengen/cluster/natslog"
	"tengen/internal/fulltest"
	tnet "tengen/net"
	"tengen/replay"
	"tengen/replay/logtest"
)

// gatedPlayer plays one game at a time, each of which ends when the gate lets it.
type gatedPlayer struct {
	begun chan uint64
	gate  chan struct{}
}

func (p gatedPlayer) Seats() int { return 1 }

func (p gatedPlayer) Play(
	ctx context.Context, model uint64, _ *tnet.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	for {
		number, ok := next()
		if !ok {
			return replay.Stats{}, nil
		}
		p.begun <- number
		select {
		case <-p.gate:
		case <-ctx.Done():
			return replay.Stats{}, ctx.Err()
		}
		g := logtest.Game(number, 5)
		g.Model = model
		if err := finished(g); err != nil {
			return replay.Stats{}, err
		}
	}
}

// A worker that is stopped finishes the game under way and sends it, begins no other, and waits no longer than it may.
func TestWorkerDrains(t *testing.T) {
	for name, test := range map[string]struct {
		drain    time.Duration
		finishes bool // the game under way
	}{
		"in time":  {time.Hour, true},
		"too late": {10 * time.Millisecond, false},
		"at once":  {0, false},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, startServer(t, natslog.ServerConfig{}))
			c := startCoordinator(t, conn, CoordinatorConfig{MaxBacklog: 1, Check: anyGame})
			player := gatedPlayer{make(chan uint64, 1), make(chan struct{})}
			cfg := workerConfig(t.TempDir())
			cfg.Drain = test.drain
			cfg.Open = func(Settings, uint64) (Player, error) { return player, nil }
			w, err := NewWorker(t.Context(), conn, cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- w.Run(ctx) }()
			training := make(chan error, 1)
			go func() { training <- nextIn(ctx, c, 100) }()
			<-player.begun
			cancel()
			if test.finishes {
				for !w.draining.Load() {
					time.Sleep(time.Millisecond)
				}
				player.gate <- struct{}{}
			}
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the worker ends with %v", err)
			}
			<-training
			wanted := map[bool]int{true: 1}[test.finishes]
			if entries := logtest.Entries(t, c.log, 0); len(entries) != wanted || w.Progress().Unsent != 0 {
				t.Errorf("%d games are in the log and %d unsent, want %d", len(entries), w.Progress().Unsent, wanted)
			}
			if left := len(player.begun); left != 0 {
				t.Errorf("%d games were begun after the end", left)
			}
		})
	}
}

// A worker that is stopped while nobody takes its games does not wait for somebody.
func TestWorkerDrainsAlone(t *testing.T) {
	fulltest.Only(t)
	s := startServer(t, natslog.ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
	c := startCoordinator(t, connect(t, s), CoordinatorConfig{MaxBacklog: 1, Check: anyGame})
	cfg := workerConfig(t.TempDir())
	cfg.Drain = time.Hour
	var played atomic.Int64
	cfg.Open = func(Settings, uint64) (Player, error) {
		return freePlayer{seats: 2, games: func() time.Duration { played.Add(1); return 0 }}, nil
	}
	_, stop := startWorker(t, dial(t, s.URL(), cfg), cfg)
	c.next(t, 0, 0, 10)
	c.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	stop() // checks that it ends
	if played.Load() < 10 {
		t.Errorf("%d games were played", played.Load())
	}
}

// Self-play goes on while the trainer does something else, as far as the backlog goes, also that of its own process.
func TestWorkersPlayWhileTheTrainerLearns(t *testing.T) {
	fulltest.Only(t)
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	c := startCoordinator(t, conn, CoordinatorConfig{MaxModelAge: 2, MaxBacklog: 1, Check: anyGame})
	cfg := workerConfig(t.TempDir())
	cfg.Open = func(Settings, uint64) (Player, error) { return freePlayer{seats: 4}, nil }
	startWorker(t, conn, cfg)
	const n = 20
	h := c.next(t, 0, 0, n)
	ahead := 0
	err := c.log.Follow(t.Context(), h.Cursor, func(e replay.Entry) error {
		if ahead++; ahead == n {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Errorf("%d games came while the trainer was learning, %v", ahead, err)
	}
	last, err := c.log.Last(t.Context())
	if err != nil || last != h.Cursor+n {
		t.Errorf("the log ends with %d, %v; want %d", last, err, h.Cursor+n)
	}
}
