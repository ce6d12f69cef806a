package natslog

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster/natslog/natstest"
	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/replay/logtest"
)

// appendAll appends games at the same time, and returns what each Append did.
func appendAll(t *testing.T, appended func(*replay.Record) (uint64, error), games []*replay.Record) (sequences []uint64, errs []error) {
	t.Helper()
	sequences, errs = make([]uint64, len(games)), make([]error, len(games))
	var appending sync.WaitGroup
	for i, g := range games {
		appending.Go(func() { sequences[i], errs[i] = appended(g) })
	}
	appending.Wait()
	return sequences, errs
}

// manyGames are games with the numbers from first on.
func manyGames(first, n, moves int) (games []*replay.Record) {
	for i := range n {
		games = append(games, logtest.Game(uint64(first+i), moves))
	}
	return games
}

// batched counts the entries of a log that came in batches.
func batched(t *testing.T, l *Log) (n int) {
	t.Helper()
	for _, e := range logtest.Entries(t, l, 0) {
		m, err := l.games.GetMsg(t.Context(), e.Sequence)
		if err != nil {
			t.Fatal(err)
		}
		if m.Header.Get(batchIDHeader) != "" {
			n++
		}
	}
	return n
}

// Games that come together go together, unless the server does not take batches. Each Append gets the sequence number of its game,
// whether the game is new or was there before.
func TestBatches(t *testing.T) {
	fulltest.Only(t)
	const games = 300
	for name, c := range map[string]struct {
		prepare func(t *testing.T, l *Log, a *Appender)
		batched bool
	}{
		"taken":        {func(*testing.T, *Log, *Appender) {}, true},
		"not offered":  {func(_ *testing.T, _ *Log, a *Appender) { a.batches = false }, false},
		"not possible": {forbidBatches, false},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, startServer(t, ServerConfig{}))
			l := openLog(t, conn, LogConfig{})
			a := openAppender(t, conn, "w")
			c.prepare(t, l, a)
			appended := func(g *replay.Record) (uint64, error) { return a.Append(t.Context(), g) }
			for _, set := range [][]*replay.Record{
				manyGames(0, games, 5),
				append(manyGames(games-20, games, 5), manyGames(2*games-40, 20, 5)...), // some were there, some come twice
			} {
				sequences, errs := appendAll(t, appended, set)
				entries := logtest.Entries(t, l, 0)
				for i, g := range set {
					if errs[i] != nil {
						t.Fatal(errs[i])
					}
					if e := entries[sequences[i]-1]; e.Err != nil || !reflect.DeepEqual(e.Game, g) {
						t.Errorf("game %d is said to be entry %d, which is %+v", g.Number, sequences[i], e)
					}
				}
			}
			if n := len(logtest.Entries(t, l, 0)); n != 2*games-20 {
				t.Errorf("the log has %d entries, want %d", n, 2*games-20)
			}
			if n := batched(t, l); c.batched != (n > games/2) || !c.batched && n > 0 {
				t.Errorf("%d games came in batches", n)
			}
		})
	}
}

// forbidBatches makes the server refuse batches that the appender takes for possible.
func forbidBatches(t *testing.T, l *Log, _ *Appender) {
	t.Helper()
	cfg := l.games.CachedInfo().Config
	cfg.AllowAtomicPublish = false
	if _, err := l.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
}

// A game that no server takes does not keep back those which come with it.
func TestTooLargeGame(t *testing.T) {
	fulltest.Only(t)
	conn := connect(t, startServer(t, ServerConfig{}))
	l := openLog(t, conn, LogConfig{})
	cfg := l.games.CachedInfo().Config
	cfg.MaxMsgSize = 1000
	if _, err := l.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	a := openAppender(t, conn, "w")
	games := append(manyGames(0, 20, 5), logtest.Game(20, 10_000))
	_, errs := appendAll(t, func(g *replay.Record) (uint64, error) { return a.Append(t.Context(), g) }, games)
	wantError(t, errs[20], "message size exceeds maximum allowed")
	for i, err := range errs[:20] {
		if err != nil {
			t.Errorf("game %d: %v", i, err)
		}
	}
}

// When a log becomes full amid a batch, each game is in the log or refused.
func TestFullBatch(t *testing.T) {
	t.Parallel()
	const bound = 100_000
	for name, c := range map[string]struct {
		server ServerConfig
		log    LogConfig
	}{
		"log":    {log: LogConfig{MaxBytes: bound}},
		"server": {server: ServerConfig{MaxDisk: bound}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := openLog(t, connect(t, startServer(t, c.server)), c.log)
			sequences, errs := appendAll(t, func(g *replay.Record) (uint64, error) { return l.Append(t.Context(), "w", g) }, manyGames(0, 400, 25))
			kept := 0
			entries := logtest.Entries(t, l, 0)
			for i, err := range errs {
				if err != nil {
					wantError(t, err, "drop old games")
					continue
				}
				kept++
				if e := entries[sequences[i]-1]; e.Err != nil || e.Game.Number != uint64(i) {
					t.Errorf("game %d is said to be entry %d, which is %+v", i, sequences[i], e)
				}
			}
			if kept == 0 || kept == len(errs) || len(entries) != kept {
				t.Errorf("%d of %d games are appended, the log has %d", kept, len(errs), len(entries))
			}
		})
	}
}

// A server whose rules or streams leave no place for a worker's games says so at once, although it never answers.
func TestNoPlaceForGames(t *testing.T) {
	fulltest.Only(t)
	o := &server.Options{JetStream: true, StoreDir: t.TempDir(), NoSigs: true, Port: server.RANDOM_PORT, Host: "127.0.0.1", Users: []*server.User{
		{Username: "trainer", Password: token},
		{Username: "worker", Password: token, Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: []string{"$JS.API.STREAM.INFO.>", "games.run.mine"}},
		}},
	}}
	url := natstest.Start(t, o).ClientURL()
	connectAs := func(user string) *nats.Conn {
		conn, err := nats.Connect(url, nats.UserInfo(user, token), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		return conn
	}
	trainer := connectAs("trainer")
	l := openLog(t, trainer, LogConfig{})
	worker := connectAs("worker")
	other := openAppender(t, worker, "other")
	other.ack.wait = time.Second
	_, err := other.Append(t.Context(), logtest.Game(1, 5))
	if !errors.Is(err, nats.ErrPermissionViolation) {
		t.Errorf("error %v, want that it is not allowed", err)
	}
	if _, err := openAppender(t, worker, "mine").Append(t.Context(), logtest.Game(1, 5)); err != nil {
		t.Error(err)
	}

	cfg := l.games.CachedInfo().Config
	cfg.Subjects = []string{"games.run"}
	if _, err := l.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := l.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "theirs", Subjects: []string{"games.run.>"}}); err != nil {
		t.Fatal(err)
	}
	_, err = openAppender(t, trainer, "mine").Append(t.Context(), logtest.Game(2, 5))
	wantError(t, err, "the subject games.run.mine belongs to the stream theirs, not to games-run")
}

// A worker tries again whatever a server refuses that may be put right there, ever more rarely, and says so once.
func TestStubborn(t *testing.T) {
	full := &jetstream.APIError{ErrorCode: 10077, Description: "maximum bytes exceeded"}
	for name, c := range map[string]struct {
		err    error
		passes bool
	}{
		"full":              {full, true},
		"no JetStream":      {&jetstream.APIError{ErrorCode: 10076}, true},
		"not for us":        {&jetstream.APIError{ErrorCode: 10039}, true},
		"too many requests": {&jetstream.APIError{ErrorCode: 10167}, true},
		"too large":         {&jetstream.APIError{ErrorCode: 10054}, false},
		"forbidden":         {nats.ErrPermissionViolation, false},
		"elsewhere":         {errElsewhere, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const away = time.Hour
				var told []string
				caller := newCaller(-1, func(err error) { told = append(told, err.Error()) })
				defer caller.end()
				caller.stubborn = true
				begin, calls := time.Now(), 0
				err := caller.call(t.Context(), func(context.Context) error {
					if calls++; time.Since(begin) > away {
						return nil
					}
					return c.err
				})
				if c.passes != (err == nil) || c.passes != (calls > 1) {
					t.Errorf("%d calls, error %v", calls, err)
				}
				if c.passes && (len(told) != 1 || calls > int(away/time.Second)) {
					t.Errorf("%d calls in %v, told %s", calls, away, strings.Join(told, "; "))
				}
			})
		})
	}
	c := newCaller(0, nil)
	if c.passes(full) {
		t.Error("a log that is full is taken for one that passes")
	}
}

// Those that failed together do not come back together.
func TestPausesDiffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(0, nil)
		defer c.end()
		waits := map[time.Duration]bool{}
		for range 100 {
			begin := time.Now()
			c.pause(t.Context(), time.Second)
			wait := time.Since(begin)
			if wait >= time.Second {
				t.Errorf("waited for %v", wait)
			}
			waits[wait.Round(time.Millisecond)] = true
		}
		if len(waits) < 50 {
			t.Errorf("100 pauses have %d lengths", len(waits))
		}
	})
}

func TestAckWait(t *testing.T) {
	a := ackWait{ackWaitMin}
	for _, want := range []time.Duration{10, 20, 40, 60, 60} {
		if a.missed(); a.wait != want*time.Second {
			t.Errorf("waits for %v, want %d s", a.wait, want)
		}
	}
	for took, want := range map[time.Duration]time.Duration{time.Second / 2: 5, 3 * time.Second: 12, 40 * time.Second: 60} {
		if a.answered(took); a.wait != want*time.Second {
			t.Errorf("after an answer in %v: waits for %v, want %d s", took, a.wait, want)
		}
	}
}

// A game that nobody waits for any more is not sent.
func TestCancelledAppend(t *testing.T) {
	l := openLog(t, connect(t, startServer(t, ServerConfig{})), LogConfig{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.queue = []*parcel{{ctx: ctx}, {ctx: t.Context(), id: "a"}, {ctx: ctx}}
	if batch := l.take(); len(batch) != 1 || batch[0].id != "a" {
		t.Errorf("taken: %v", batch)
	}
	if batch := l.take(); len(batch) != 0 || l.sending {
		t.Errorf("taken: %v", batch)
	}
}
