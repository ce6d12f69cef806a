package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/cluster/natslog"
	"tengen/internal/fulltest"
)

// Of two instances under a name the later one is refused when both have been there for a while, and one that was killed and started
// again never is. The trainer is told at once, and then once a minute at most.
func TestInstances(t *testing.T) {
	type demand struct {
		at               int // seconds
		worker, instance string
		refused          bool
	}
	for name, test := range map[string]struct {
		demands []demand
		told    int
	}{
		"two that stay": {[]demand{
			{0, "w", "a", false}, {5, "w", "b", false}, {10, "w", "a", false}, {15, "w", "b", false}, {19, "w", "a", false}, {19, "w", "b", false},
			{20, "w", "a", false}, {21, "w", "b", true}, {22, "w", "c", false}, {29, "w", "a", false}, {30, "w", "c", false}, {37, "w", "a", false},
			{38, "w", "c", true}, {39, "w", "a", false},
		}, 1},
		"restarts": {[]demand{
			{0, "w", "a", false}, {5, "w", "b", false}, {6, "w", "a", false}, {15, "w", "b", false}, {20, "w", "c", false}, {30, "w", "c", false},
			{60, "w", "c", false}, {61, "w", "d", false}, {70, "w", "d", false},
		}, 0},
		"a restart long after a copy": {[]demand{
			{0, "w", "a", false}, {1, "w", "b", false}, {16, "w", "a", false}, {17, "w", "b", true}, {40, "w", "a", false}, {60, "w", "a", false},
			{61, "w", "c", false}, {70, "w", "c", false}, {95, "w", "c", false},
		}, 1},
		"a restart, and then a copy": {[]demand{
			{0, "w", "a", false}, {1, "w", "b", false}, {2, "w", "c", false}, {16, "w", "b", false}, {16, "w", "c", false}, {17, "w", "b", false},
			{18, "w", "c", true}, {40, "w", "b", false},
		}, 1},
		"programs that do not say, and other names": {[]demand{
			{0, "w", "a", false}, {10, "w", "", false}, {20, "w", "a", false}, {30, "w", "", false}, {30, "v", "b", false}, {40, "v", "b", false},
		}, 0},
		"names of the process that trains": {[]demand{
			{0, "local-ABCDEFGH", "own", false}, {1, "local-ABCDEFGH", "a", true}, {2, "local-ABCDEFGH", "", true}, {3, "local-ABCDEFGH", "own", false},
			{4, "local-ZZZZZZZZ", "a", true}, {5, "local-ZZZZZZZZ", "", true}, {6, "local", "a", true}, {7, "locally-ABCDEFGH", "a", false}, {70, "local-ZZZZZZZZ", "a", true},
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			told := 0
			n := &instances{report: func(error) { told++ }, proof: rivalry, own: map[string]string{}, seen: map[string][]sighting{}}
			n.trust("local-ABCDEFGH", "own")
			for _, d := range test.demands {
				if err := n.hear(time.Unix(int64(1000+d.at), 0), d.worker, d.instance); (err != nil) != d.refused {
					t.Errorf("after %d s instance %q of %s: %v", d.at, d.instance, d.worker, err)
				}
			}
			if told != test.told {
				t.Errorf("told %d times, want %d", told, test.told)
			}
		})
	}
}

// Names that nobody uses any more are forgotten.
func TestInstancesAreForgotten(t *testing.T) {
	n := &instances{proof: rivalry, seen: map[string][]sighting{}}
	for i, worker := range []string{"a", "b", "c"} {
		n.hear(time.Unix(int64(20*i), 0), worker, "i")
	}
	n.hear(time.Unix(55, 0), "d", "i")
	if n.seen["a"] != nil || n.seen["b"] != nil || len(n.seen) != 2 {
		t.Errorf("known are %v", n.seen)
	}
}

// A name that is started again and again, or says much, takes no more memory, and its first and its newest instance are among those that are known.
func TestInstancesAreBounded(t *testing.T) {
	n := &instances{proof: rivalry, seen: map[string][]sighting{}}
	for i := range 3 * mostInstances {
		n.hear(time.Unix(0, int64(i)), "w", fmt.Sprint(i))
	}
	for i := range 2 {
		n.hear(time.Unix(1, 0), "v", strings.Repeat(fmt.Sprint(i), longestInstance+1))
	}
	if n.seen["v"] != nil {
		t.Errorf("known are %v", n.seen)
	}
	if all := n.seen["w"]; len(all) != mostInstances || all[0].instance != "0" || all[mostInstances-1].instance != fmt.Sprint(3*mostInstances-1) {
		t.Errorf("known are %v", all)
	}
}

// Where a server does not bind names to connections, a worker with a copy of another's spool ends and says why, and the other plays on.
func TestCopiedSpoolIsRefused(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	s := startServer(t, natslog.ServerConfig{}) // connections of its own process have no worker's name either
	c := startCoordinator(t, connect(t, s), CoordinatorConfig{MaxModelAge: 9, MaxBacklog: 1000, Check: anyGame})
	c.starts.mu.Lock()
	c.starts.proof = 10 * time.Millisecond
	c.starts.mu.Unlock()
	config := func(dir string) WorkerConfig {
		cfg := workerConfig(dir)
		cfg.Open = func(Settings, uint64) (Player, error) {
			return freePlayer{seats: 4, games: func() time.Duration { return 20 * time.Millisecond }}, nil
		}
		return cfg
	}
	first, _ := startWorker(t, connect(t, s), config(t.TempDir()))
	cursor := c.next(t, 0, 0, 20).Cursor

	dir := t.TempDir()
	identity, err := os.ReadFile(first.spool.path(identityFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, identityFile), identity, 0o644); err != nil {
		t.Fatal(err)
	}
	second, err := NewWorker(t.Context(), connect(t, s), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	wantError(t, second.Run(ctx), "another process plays as worker "+first.Name()+": is the spool a copy?")
	c.next(t, 1, cursor, 20)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.ContainsFunc(c.reports, func(r string) bool {
		return strings.Contains(r, "is refused: another process plays as worker "+first.Name())
	}) {
		t.Errorf("the run says %q", c.reports)
	}
}

// A worker with a name of the process that trains is refused, unless it is that in this process.
func TestLocalNameIsRefused(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	c := startCoordinator(t, conn, CoordinatorConfig{MaxModelAge: 9, MaxBacklog: 1})
	c.publishOrder(t, 0)
	cfg := workerConfig(t.TempDir())
	cfg.Host = "local"
	w, err := NewWorker(t.Context(), conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	wantError(t, w.Run(ctx), "is one of the process that trains: the worker needs another user name")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	own, err := NewWorker(t.Context(), conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Trust(own.Name(), own.Instance())
	run(t, own)
	c.next(t, 0, 0, 20)
}
