package engine

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tengen/cluster"
	"tengen/cluster/access"
	"tengen/cluster/natslog"
	"tengen/cluster/natslog/natstest"
)

func TestWorkReport(t *testing.T) {
	last := cluster.WorkerProgress{Games: 10}
	for _, c := range []struct {
		now  cluster.WorkerProgress
		want string
	}{
		{cluster.WorkerProgress{Games: 13, Model: 4, Connected: true}, "playing       model 4  13 games  1.50 games/s  0 unsent"},
		{cluster.WorkerProgress{Games: 10, Connected: true, Paused: true}, "paused        model 0  10 games  0.00 games/s  0 unsent"},
		{
			cluster.WorkerProgress{Games: 10, Model: 4, Connected: true, Paused: true, Waiting: true, Fetching: true, Fetched: 43},
			"waiting       model 4  10 games  0.00 games/s  0 unsent  fetching a model: 43 %",
		},
		{cluster.WorkerProgress{Games: 11, Unsent: 7, Paused: true}, "disconnected  model 0  11 games  0.50 games/s  7 unsent"},
	} {
		if got := NewWorkReport(c.now, last, 2*time.Second).Text(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A worker waits for a server that is not there, says so once, and gives up when it is told to.
func TestNewWorkerWaits(t *testing.T) {
	defer goleak.VerifyNone(t, natstest.Upstream...)
	listener, err := net.Listen("tcp", net.JoinHostPort(natstest.Loopback(), "0"))
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close() // nobody is there now
	ctx, cancel := context.WithCancel(t.Context())
	warnings := 0
	_, err = NewWorker(ctx, WorkerConfig{
		Server: natslog.ClientConfig{URL: "nats://" + address}, Run: EmbeddedRun, Spool: filepath.Join(t.TempDir(), "spool"),
		Warn: func(error) { warnings++; cancel() },
	})
	if !errors.Is(err, context.Canceled) || warnings != 1 {
		t.Errorf("error %v after %d warnings", err, warnings)
	}
}

// A worker plays without a cache of models where there can be none, and says so.
func TestNewWorkerWithoutACache(t *testing.T) {
	cfg := tinyConfig()
	cfg.Cluster.Listen, cfg.Cluster.Local = "127.0.0.1:0", false
	run, err := open(t, "tictactoe").Train(t.Context(), TrainConfig{Config: cfg, Dir: filepath.Join(t.TempDir(), "run")})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	i, _ := run.Invitation()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var warning error
	var first sync.Once
	w, err := NewWorker(t.Context(), WorkerConfig{
		Server: natslog.ClientConfig{URL: i.Server, TokenFile: i.Token}, Run: EmbeddedRun,
		Spool: filepath.Join(t.TempDir(), "spool"), Cache: file,
		Warn: func(err error) { first.Do(func() { warning = err }) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	wantError(t, warning, "cannot make the cache of models", false)
}

// A worker does not take a name of the process that trains, neither from its token nor from its spool, nor one that no server knows.
func TestNewWorkerRefusesNames(t *testing.T) {
	spool := t.TempDir()
	identity := []byte(`{"worker":"local-ABCDEFGH"}`)
	if err := os.WriteFile(filepath.Join(spool, "worker.json"), identity, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ token, spool, want string }{
		{"local:secret", t.TempDir(), `the name "local" is that of the worker in the process that trains: choose another`},
		{"a b:secret", t.TempDir(), `a worker cannot have the name "a b"`},
		{"secret", spool, "the spool " + spool + " is that of local-ABCDEFGH"},
	} {
		_, err := NewWorker(t.Context(), WorkerConfig{
			Server: natslog.ClientConfig{URL: "nats://127.0.0.1:1", Token: c.token}, Run: EmbeddedRun, Spool: c.spool,
		})
		wantError(t, err, c.want, false)
	}
}

// Settings that this program cannot play by are refused, as what the run asks for and not as what the worker was asked.
func TestPlayerRefusesSettings(t *testing.T) {
	e, cfg := open(t, "tictactoe"), tinyConfig()
	good := cluster.Settings{Game: "tictactoe", Search: cfg.Search, Selfplay: cfg.Selfplay}
	good.Shape.Height, good.Shape.Width, good.Shape.Actions, good.Shape.Planes = 3, 3, 9, 4
	if _, err := e.player(good, 1, 2); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*cluster.Settings){
		"the run's networks are for": func(s *cluster.Settings) { s.Shape.Planes = 5 },
		"search.simulations is 0":    func(s *cluster.Settings) { s.Search.Simulations = 0 },
		"selfplay.games_per_worker":  func(s *cluster.Settings) { s.Selfplay.GamesPerWorker = 0 },
		"selfplay.opening_plies":     func(s *cluster.Settings) { s.Selfplay.OpeningPlies = 1_000_000 },
		"openings.deep_plies":        func(s *cluster.Settings) { s.Selfplay.Openings.DeepPlies = 1_000_000 },
		"openings.policy_plies":      func(s *cluster.Settings) { s.Selfplay.Openings.PolicyPlies = 1_000_000 },
	} {
		bad := good
		change(&bad)
		_, err := e.player(bad, 1, 2)
		wantError(t, err, want, false)
	}
	_, err := openRecorded("chess")
	wantError(t, err, `game "chess" is unknown`, false)
}

// A run that goes on refuses from the first moment who was caught before, and nobody else.
func TestCaughtWorkerIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	trainWithWorkers(t, dir, 1)
	if err := caughtList(dir).Write([]access.Caught{{Worker: "bad-ABCDEFGH", Since: 1}}); err != nil {
		t.Fatal(err)
	}
	cfg := tinyConfig()
	cfg.Cluster.Listen, cfg.Cluster.MaxBacklog = "127.0.0.1:0", 0
	log, err := openGameLog(t.Context(), dir, cfg.Cluster, true, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for worker, want := range map[string]bool{"bad-ABCDEFGH": false, "good-ABCDEFGH": true} {
		conn, err := natslog.Dial(t.Context(), natslog.ClientConfig{URL: log.server.URL(), TokenFile: tokenFile(dir, cfg.Cluster), Worker: worker})
		if got := err == nil; got != want {
			t.Errorf("%s comes in: %v (%v)", worker, got, err)
		}
		if err == nil {
			conn.Close()
		}
	}
}
