package cluster

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/cluster/natslog"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/internal/slowlink"
	tnet "tengen/net"
)

// A worker plays with an older model as long as games of it are taken, and never with one that the run has gone back behind.
func TestOutdated(t *testing.T) {
	of := func(iteration uint64) natslog.Model { return natslog.Model{Iteration: iteration} }
	for _, test := range []struct {
		order *order
		task  *task
		want  bool
	}{
		{nil, nil, true},
		{&order{Model: of(5), Oldest: 3}, nil, true},
		{&order{Model: of(5), Oldest: 3}, &task{model: of(2)}, true},
		{&order{Model: of(5), Oldest: 3}, &task{model: of(3)}, false},
		{&order{Model: of(5), Oldest: 3}, &task{model: of(5)}, false},
		{&order{Model: of(5), Oldest: 3}, &task{model: of(6)}, true},
	} {
		w := &Worker{}
		w.order.Store(test.order)
		w.task.Store(test.task)
		if got := w.outdated(); got != test.want {
			t.Errorf("%+v with %+v: outdated %v, want %v", test.order, test.task, got, test.want)
		}
	}
}

// A model that is on its way when its games are not taken any more is given up for the newest. It says so.
func TestGivesUpOutdatedModels(t *testing.T) {
	fulltest.Only(t)
	s := startServer(t, natslog.ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
	line := &slowlink.Proxy{Target: slowlink.To(strings.TrimPrefix(s.URL(), "nats://")), Rate: 100_000}
	if err := line.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { line.Close() })
	c := startCoordinator(t, connect(t, s), CoordinatorConfig{})
	ask := func(iteration, oldest uint64, bytes int) {
		file, err := (&tnet.Model{Game: mnk.TicTacToe().Name(), Iteration: int(iteration), Weights: heavyWeights(iteration, bytes)}).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		model, err := c.models.Publish(t.Context(), iteration, file)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.bucket.Put(t.Context(), orderKey, order{protocol, c.cfg.Settings.Digest, model, oldest}); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var reports []string
	cfg := workerConfig(t.TempDir())
	cfg.Open = openLightPlayer
	cfg.Report = func(err error) {
		mu.Lock()
		defer mu.Unlock()
		reports = append(reports, err.Error())
	}
	ask(1, 0, 50_000_000) // minutes
	w, _ := startWorker(t, dial(t, "nats://"+line.Addr(), cfg), cfg)
	await(t, func() bool { p := w.Progress(); return p.Fetching && p.Waiting && p.Paused })
	ask(2, 1, 1000) // the first would be taken still
	ask(6, 5, 1000)
	await(t, func() bool { p := w.Progress(); return p.Model == 6 && !p.Fetching && !p.Waiting })
	mu.Lock()
	defer mu.Unlock()
	if !slices.ContainsFunc(reports, func(r string) bool {
		return strings.Contains(r, "the model of iteration 1 was on its way for too long")
	}) {
		t.Errorf("reports: %q", reports)
	}
}

// await waits until something is so.
func await(t *testing.T, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not come to that")
		}
	}
}

// What a run sends next has to fit what plays already: its graph is built.
func TestWorkerRefusesAnotherArchitecture(t *testing.T) {
	s := testSettings()
	w := &Worker{settings: s}
	w.task.Store(&task{weights: testWeights(1)})
	wider := tnet.Config{Blocks: 1, Channels: 3, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 2}
	m := tnet.Model{Game: s.Game, Iteration: 2, Weights: tnet.NewWeights(wider, s.Shape, 2)}
	file, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.takeUp(natslog.Model{}, file); err == nil || !strings.Contains(err.Error(), "another architecture") {
		t.Errorf("error %v", err)
	}
}
