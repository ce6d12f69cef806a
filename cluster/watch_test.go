package cluster

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster/natslog"
	"tengen/internal/fulltest"
	"tengen/replay/logtest"
	"tengen/train"
)

// A trainer that no worker plays for says so once, and goes on waiting.
func TestCoordinatorWithoutWorkersSpeaks(t *testing.T) {
	c := startCoordinator(t, connect(t, startServer(t, natslog.ServerConfig{})), CoordinatorConfig{Check: anyGame})
	c.patience = patience{tick: time.Millisecond, alone: 20 * time.Millisecond, stuck: time.Hour, vain: time.Hour}
	spoken := make(chan struct{})
	c.cfg.Report = func(err error) {
		c.report(err)
		close(spoken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- nextIn(ctx, c, 1) }()
	<-spoken
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if len(c.reports) != 1 || !strings.Contains(c.reports[0], "no worker has asked for games") {
		t.Errorf("it says %q", c.reports)
	}
}

// nextIn asks for n games of model 0.
func nextIn(ctx context.Context, c *testCoordinator, n int) error {
	_, err := c.Next(ctx, train.Request{Weights: testWeights(0), Games: n, Progress: func(int) {}})
	return err
}

// keepAsking asks in the name of a worker until the test ends.
func keepAsking(t *testing.T, conn *nats.Conn, d demand) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			askAs(ctx, conn, "w", d)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
}

// A trainer whose log takes no games, or that has no room for them, ends with a message that says what to do. One whose workers
// just need long, or say of games what the log disproves, does not.
func TestCoordinatorEndsWhereNothingComes(t *testing.T) {
	fulltest.Only(t)
	holding := demand{Open: 5, Unsent: 3, Seats: 9, Trouble: "maximum bytes exceeded"}
	for name, test := range map[string]struct {
		demand demand
		full   bool // the log
		room   error
		want   []string // of the message; none: it waits
		says   string   // of the only report; "" if there is none
	}{
		"log": {demand: holding, full: true, want: []string{
			"3 finished games wait at the workers", "w: maximum bytes exceeded", "the log takes none", "maximum messages exceeded", "start the run again",
		}},
		"room": {demand: demand{Seats: 9}, room: errors.New("only 3 MB are free: make room"), want: []string{"only 3 MB are free", "start the run again"}},
		"slow": {demand: demand{Open: 5, Seats: 9}},
		"lie":  {demand: holding, says: "worker w says that it holds 5 games, 3 of them finished"},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, startServer(t, natslog.ServerConfig{}))
			c := startCoordinator(t, conn, CoordinatorConfig{Check: anyGame, Room: func() error { return test.room }})
			logtest.Fill(t, c.log, "v", 1)
			first := c.next(t, 0, 0, 1)
			if test.full {
				fill(t, conn)
			}
			c.patience = patience{tick: time.Millisecond, alone: time.Hour, stuck: 50 * time.Millisecond, vain: time.Hour}
			keepAsking(t, conn, test.demand)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			waiting := sync.OnceFunc(func() { time.AfterFunc(10*c.patience.stuck, cancel) })
			switch {
			case test.says != "": // from then on it has nothing more to say
				c.cfg.Report = func(err error) {
					c.report(err)
					waiting()
				}
			case test.want == nil:
				waiting()
			}
			_, err := c.Next(ctx, train.Request{Weights: testWeights(0), After: first.Cursor, Games: 1, Progress: func(int) {}})
			if test.want == nil && !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			for _, want := range test.want {
				wantError(t, err, want)
			}
			if reports := strings.Join(c.reports, "\n"); test.room == nil && (len(c.reports) > 1 || !strings.HasPrefix(reports, test.says)) {
				t.Errorf("it says %q, want %q once", reports, test.says)
			}
		})
	}
}

// fill makes the stream of the games take no more.
func fill(t *testing.T, conn *nats.Conn) {
	t.Helper()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "games-run")
	if err != nil {
		t.Fatal(err)
	}
	cfg := stream.CachedInfo().Config
	cfg.MaxMsgs = int64(stream.CachedInfo().State.Msgs)
	if _, err := js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
}

// A worker may say what it likes: the run neither ends nor waits for ever, and others play in its place.
func TestCoordinatorDoubtsWhoNeverDelivers(t *testing.T) {
	fulltest.Only(t)
	for name, lie := range map[string]demand{
		"unfinished": {Open: 1 << 40, Seats: 9},
		"finished":   {Open: 1 << 40, Unsent: 1 << 40, Seats: 9},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, startServer(t, natslog.ServerConfig{}))
			c := startCoordinator(t, conn, CoordinatorConfig{Check: anyGame})
			c.patience = patience{tick: time.Millisecond, alone: time.Hour, stuck: 20 * time.Millisecond, vain: 200 * time.Millisecond}
			keepAsking(t, conn, lie)
			_, stop := startWorker(t, conn, workerConfig(t.TempDir()))
			defer stop()
			if err := nextIn(t.Context(), c, 20); err != nil {
				t.Error(err)
			}
		})
	}
}

// A server that has come near its limit keeps the rest for the run's own entries: no more games are played, the trainer ends, and
// goes on where there is room.
func TestCoordinatorAtTheLimit(t *testing.T) {
	fulltest.Only(t)
	inMemory(t)
	dir, spool := t.TempDir(), t.TempDir()
	const n = 40 // games of 5 KB: far less than the reserve
	model, cursor := uint64(0), uint64(0)
	try := func(maxDisk int64, enough uint64) (*testCoordinator, error) {
		s := startServer(t, natslog.ServerConfig{Dir: dir, MaxDisk: maxDisk})
		defer s.Close()
		full := func() error {
			if used, limit := s.Stored(); used > limit/10*9 {
				return errors.New("it is full")
			}
			return nil
		}
		c := startCoordinator(t, connect(t, s), CoordinatorConfig{Check: anyGame, Room: full})
		c.patience = patience{tick: time.Millisecond, alone: time.Hour, stuck: 5 * time.Second, vain: time.Hour}
		defer c.Close()
		defer startFree(t, s, spool)()
		var err error
		for ; err == nil && cursor < enough; model++ {
			var h train.Batch
			h, err = c.Next(t.Context(), train.Request{Model: model, Weights: testWeights(model), After: cursor, Games: n, Progress: func(int) {}})
			if err == nil {
				cursor = h.Cursor
			}
		}
		if err != nil {
			if err := c.bucket.Put(t.Context(), orderKey, c.ordered); err != nil {
				t.Errorf("there is no room for the run's own entries: %v", err)
			}
		}
		return c, err
	}
	c, err := try(2_000_000, 1000)
	wantError(t, err, "it is full; then start the run again")
	if len(c.reports) != 1 || c.reports[0] != "it is full" {
		t.Errorf("it reports %q", c.reports)
	}
	if _, err := try(200_000_000, cursor+5*n); err != nil {
		t.Error(err)
	}
}

// On a disk that is full the trainer ends within its patience and says why; with room, the next process goes on, and no game that
// came is lost.
func TestCoordinatorOnAFullDisk(t *testing.T) {
	fulltest.Only(t)
	dir, spool := t.TempDir(), t.TempDir()
	mount := func(options string) error {
		return exec.Command("mount", "-t", "tmpfs", "-o", options, "tengen", dir).Run()
	}
	if err := mount("size=2m"); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	defer exec.Command("umount", "-l", dir).Run() // a file may still be open
	const n = 2000                                // more than there is room for at first
	try := func() error {
		s := startServer(t, natslog.ServerConfig{Dir: dir})
		defer s.Close()
		c := startCoordinator(t, connect(t, s), CoordinatorConfig{Check: anyGame})
		c.patience = patience{tick: time.Millisecond, alone: time.Hour, stuck: 2 * time.Second, vain: time.Hour}
		defer c.Close()
		defer startFree(t, s, spool)()
		return nextIn(t.Context(), c, n)
	}
	err := try()
	wantError(t, err, "finished games wait at the workers")
	wantError(t, err, "make room on its disk; then start the run again")
	t.Log(err)
	if err := mount("remount,size=200m"); err != nil {
		t.Fatal(err)
	}
	if err := try(); err != nil {
		t.Error(err)
	}
}

// startFree starts a worker whose long games cost nothing, and returns what stops it.
func startFree(t *testing.T, s *natslog.Server, spool string) (stop func()) {
	t.Helper()
	cfg := workerConfig(spool)
	cfg.Open = func(Settings, uint64) (Player, error) { return freePlayer{seats: 8, moves: 200}, nil }
	_, stop = startWorker(t, connect(t, s), cfg)
	return stop
}
