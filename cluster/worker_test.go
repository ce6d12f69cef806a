package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"tengen/cluster/natslog"
	"tengen/game/mnk"
	"tengen/mcts"
	tnet "tengen/net"
	"tengen/replay"
	"tengen/replay/logtest"
	"tengen/selfplay"
	"tengen/train"
)

// poolPlayer is the Player of a pool with one evaluator.
type poolPlayer struct {
	evaluator *tnet.Evaluator[mnk.State]
	pool      *selfplay.Pool[mnk.State]
}

func openPlayer(s Settings, seed uint64) (Player, error) {
	ev := tnet.NewEvaluator[mnk.State](testWeights(0), s.Selfplay.GamesPerWorker)
	return poolPlayer{ev, selfplay.NewPool(mnk.TicTacToe(), s.Selfplay, s.Search, seed, []mcts.Evaluator[mnk.State]{ev})}, nil
}

func (p poolPlayer) Play(
	ctx context.Context, model uint64, w *tnet.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	p.evaluator.Load(w)
	return p.pool.Play(ctx, model, next, finished)
}

func (p poolPlayer) Seats() int { return 4 }

func (p poolPlayer) Replay(
	ctx context.Context, model uint64, w *tnet.Weights, games []selfplay.ID, finished func(*replay.Record) error,
) (replay.Stats, error) {
	p.evaluator.Load(w)
	return p.pool.Replay(ctx, model, games, finished)
}

func workerConfig(dir string) WorkerConfig {
	return WorkerConfig{Run: "run", Version: "v1", Spool: dir, Host: "host", Open: openPlayer, Report: func(error) {}}
}

// startWorker joins and runs a worker.
func startWorker(t *testing.T, conn *nats.Conn, cfg WorkerConfig) (w *Worker, stop func()) {
	t.Helper()
	w, err := NewWorker(t.Context(), conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return w, run(t, w)
}

// run plays in the background until stop is called, which checks that it ends as it should.
func run(t *testing.T, w *Worker) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the worker ends with %v", err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// checkOnce checks that no game of a worker is in the log twice, that each is a game of tic-tac-toe, and that all those in the
// set are there.
func checkOnce(t *testing.T, l *natslog.Log, wanted map[string]bool) {
	t.Helper()
	for _, e := range logtest.Entries(t, l, 0) {
		if e.Err != nil {
			t.Errorf("entry %d: %v", e.Sequence, e.Err)
			continue
		}
		if err := replay.Validate(mnk.TicTacToe(), e.Game); err != nil {
			t.Error(err)
		}
		delete(wanted, gameName(e.Worker, e.Game.Number))
	}
	if len(wanted) > 0 {
		t.Errorf("%d games are lost: %v", len(wanted), wanted)
	}
}

// Two workers that join over the network play a run, and another trainer takes the same games at each iteration. Each game
// can be repeated: it follows from the run's seed, the worker's name, its number and its model.
func TestWorkers(t *testing.T) {
	t.Parallel()
	s := startServer(t, natslog.ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
	cfg := CoordinatorConfig{MaxModelAge: 1, MaxBacklog: 1, Verify: VerifyConfig{
		Share: 1, Open: func(s Settings, _ string) (Replayer, error) {
			p, err := openPlayer(s, 0)
			return p.(Replayer), err
		},
		Weights: func(model uint64) (*tnet.Weights, error) { return testWeights(model), nil },
	}}
	c := startCoordinator(t, connect(t, s), cfg)
	var names []string
	for range 2 {
		cfg := workerConfig(t.TempDir())
		w, _ := startWorker(t, dial(t, s.URL(), cfg), cfg)
		names = append(names, w.Name())
	}
	var batches []train.Batch
	cursor := uint64(0)
	for model := range uint64(3) {
		h := c.next(t, model, cursor, 40)
		cursor, batches = h.Cursor, append(batches, h)
		if h.Verified.Games != 40 {
			t.Errorf("iteration %d: verified %+v of 40 games: %q", model, h.Verified, c.reports)
		}
		for _, g := range h.Games {
			if model-g.Model > 1 {
				t.Errorf("iteration %d has a game of model %d", model, g.Model)
			}
		}
	}
	cursor = 0
	var taken []*replay.Record
	var noted json.RawMessage
	for model, h := range batches {
		other := startCoordinator(t, connect(t, s), cfg)
		before, err := other.Recent(t.Context(), cursor, noted, len(taken))
		if err != nil || len(before) != len(taken) || len(taken) > 0 && !reflect.DeepEqual(before, taken) {
			t.Fatalf("before iteration %d: %d games, %v; want %d", model, len(before), err, len(taken))
		}
		if again := other.next(t, uint64(model), cursor, 40); !reflect.DeepEqual(again.Games, h.Games) {
			t.Fatalf("iteration %d: another trainer takes other games", model)
		}
		cursor, noted, taken = h.Cursor, h.Notes, append(taken, h.Games...)
	}
	checkOnce(t, c.log, nil)

	played := map[string]int{}
	for _, e := range logtest.Entries(t, c.log, 0) {
		if played[e.Worker]++; played[e.Worker] > 1 || e.Game == nil {
			continue
		}
		p, _ := openPlayer(testSettings(), seedOf(42, e.Worker))
		once := selfplay.Numbers([]uint64{e.Game.Number})
		p.Play(t.Context(), e.Game.Model, testWeights(e.Game.Model), once, func(g *replay.Record) error {
			if g.Seed, g.Arithmetic = 42, tnet.Arithmetic(); !reflect.DeepEqual(g, e.Game) {
				t.Errorf("game %d of %s is another when it is played again", g.Number, e.Worker)
			}
			return nil
		})
	}
	for _, name := range names {
		if played[name] == 0 {
			t.Errorf("%s has no game in the log: %v", name, played)
		}
	}
}

func TestWorkerRefusals(t *testing.T) {
	s := startServer(t, natslog.ServerConfig{})
	conn := connect(t, s)
	cfg := workerConfig(t.TempDir())
	_, err := NewWorker(t.Context(), conn, cfg)
	wantError(t, err, "no such run")
	c := startCoordinator(t, conn, CoordinatorConfig{})

	broken := errors.New("no such game here")
	other := cfg
	other.Open = func(Settings, uint64) (Player, error) { return nil, broken }
	if _, err = NewWorker(t.Context(), conn, other); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	w, stop := startWorker(t, conn, cfg)
	_, err = NewWorker(t.Context(), conn, cfg)
	wantError(t, err, "another process uses")
	stop()

	settings := w.Settings()
	settings.Protocol++
	for _, entry := range []any{settings, map[string]any{"protocol": settings.Protocol, "search": "of another form"}} {
		if err := c.bucket.Put(t.Context(), settingsKey, entry); err != nil {
			t.Fatal(err)
		}
		_, err = NewWorker(t.Context(), conn, cfg)
		wantError(t, err, fmt.Sprintf("speaks protocol %d, this program %d: update this program", protocol+1, protocol))
	}
}

// The settings have the names of the configuration file.
func TestSettingsAreNamedAsInTheFile(t *testing.T) {
	for _, part := range []any{mcts.Config{}, selfplay.Config{}} {
		of := reflect.TypeOf(part)
		for i := range of.NumField() {
			tag := of.Field(i).Tag
			if tag.Get("json") == "" || tag.Get("json") != tag.Get("yaml") {
				t.Errorf("%v.%s is %q on the wire and %q in the file", of, of.Field(i).Name, tag.Get("json"), tag.Get("yaml"))
			}
		}
	}
}

// Orders that do not fit the settings end a worker.
func TestWorkerRefusesOrders(t *testing.T) {
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	c := startCoordinator(t, conn, CoordinatorConfig{})
	chess := &tnet.Model{Game: "chess", Weights: testWeights(0)}
	file, err := chess.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := c.models.Publish(t.Context(), 0, file)
	if err != nil {
		t.Fatal(err)
	}
	garbage, err := c.models.Publish(t.Context(), 0, []byte("garbage"))
	if err != nil {
		t.Fatal(err)
	}
	digest := c.cfg.Settings.Digest
	for _, test := range []struct {
		order order
		want  string
	}{
		{order{protocol, digest, foreign, 0}, "chess"},
		{order{protocol, digest, garbage, 0}, "cannot read the model"},
	} {
		if err := c.bucket.Put(t.Context(), orderKey, test.order); err != nil {
			t.Fatal(err)
		}
		w, err := NewWorker(t.Context(), conn, workerConfig(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		wantError(t, w.Run(t.Context()), test.want)
		w.Close()
	}
}

// A worker that plays on notices that the run is trained otherwise by now: by another program, or with other settings. What changes
// the speed alone does not matter, nor who left an order before.
func TestRunningWorkerNoticesAnotherTrainer(t *testing.T) {
	other := func(change func(s *Settings)) Settings {
		s := testSettings()
		change(&s)
		return s
	}
	put := func(t *testing.T, c *testCoordinator, key string, v any) {
		t.Helper()
		if err := c.bucket.Put(t.Context(), key, v); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		goOn func(t *testing.T, conn *nats.Conn, c *testCoordinator)
		want string // of the worker's error; "": it plays on
	}{
		"another search": {func(t *testing.T, conn *nats.Conn, c *testCoordinator) {
			settings := other(func(s *Settings) { s.Search.CInit++ })
			startCoordinator(t, conn, CoordinatorConfig{Settings: settings}).publishOrder(t, 1)
		}, "the run goes on with other settings: start the worker anew"},
		"more goroutines, another version": {func(t *testing.T, conn *nats.Conn, c *testCoordinator) {
			settings := other(func(s *Settings) { s.Selfplay.Workers, s.Version = 7, "v2" })
			startCoordinator(t, conn, CoordinatorConfig{Settings: settings}).publishOrder(t, 1)
		}, ""},
		"an earlier program": {func(t *testing.T, conn *nats.Conn, c *testCoordinator) {
			put(t, c, settingsKey, json.RawMessage(`{"protocol":5,"version":"v0","run":"id","game":"tictactoe","seed":42}`))
			put(t, c, orderKey, json.RawMessage(`{"run":"id","model":{"name":"n","iteration":5,"size":9,"sha256":"ab"},"limit":77}`))
		}, "the run speaks protocol 5, this program 7: use the program that trains, tengen \"v0\", or update it there"},
		"games of another kind": {func(t *testing.T, conn *nats.Conn, c *testCoordinator) {
			s := c.cfg.Settings
			s.Semantics++
			s.Version = "v9"
			s.Digest = s.digest()
			put(t, c, settingsKey, s)
			put(t, c, orderKey, order{protocol, s.Digest, c.ordered.Model, 0})
		}, "update this program; the run is trained by tengen \"v9\""},
		"a setting that is not known here": {func(t *testing.T, conn *nats.Conn, c *testCoordinator) {
			s := c.cfg.Settings
			s.Digest = "of more than this program knows"
			put(t, c, settingsKey, s)
			put(t, c, orderKey, order{protocol, s.Digest, c.ordered.Model, 0})
		}, "settings that this program does not know"},
		"an order that an earlier program left": {func(t *testing.T, conn *nats.Conn, c *testCoordinator) {
			put(t, c, orderKey, json.RawMessage(`{"run":"id","model":{"name":"n","iteration":5,"size":9,"sha256":"ab"},"limit":77}`))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, startServer(t, natslog.ServerConfig{}))
			c := startCoordinator(t, conn, CoordinatorConfig{MaxModelAge: 9})
			c.publishOrder(t, 0)
			w, err := NewWorker(t.Context(), conn, workerConfig(t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := w.poll(t.Context()); err != nil {
				t.Fatal(err)
			}
			test.goOn(t, conn, c)
			if err := w.poll(t.Context()); test.want != "" {
				wantError(t, err, test.want)
			} else if err != nil {
				t.Errorf("the worker does not fit any more: %v", err)
			}
		})
	}
}

// publishOrder publishes a model and the order to play with it.
func (c *testCoordinator) publishOrder(t *testing.T, model uint64) {
	t.Helper()
	if err := c.publish(t.Context(), train.Request{Model: model, Weights: testWeights(model), Games: 1}); err != nil {
		t.Fatal(err)
	}
}

// Workers of protocol 5 and before compare the run that an order names, and end where it is another. They find none, end, and are
// refused by the protocol when they come again, instead of waiting for ever.
func TestOrdersEndWorkersOfEarlierPrograms(t *testing.T) {
	text, err := json.Marshal(order{protocol, "d", natslog.Model{Name: "n"}, 0})
	if err != nil {
		t.Fatal(err)
	}
	var before struct {
		Run string `json:"run"`
	}
	if err := json.Unmarshal(text, &before); err != nil || before.Run != "" {
		t.Errorf("%s names the run %q, %v", text, before.Run, err)
	}
}

// Programs that know more settings, all of them off, agree with those that do not; any setting that is on counts.
func TestSettingsDigest(t *testing.T) {
	s := testSettings()
	want := s.digest()
	same, other := s, s
	same.Version, same.Digest, same.Selfplay.Workers, same.Selfplay.GamesPerWorker, same.Selfplay.CacheMegabytes = "v3", "x", 9, 9, 9
	if same.digest() != want {
		t.Error("what changes no game changes the digest")
	}
	other.Seed++
	if other.digest() == want {
		t.Error("another seed has the same digest")
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	before, _ := json.Marshal(withoutZeros(maps.Clone(fields)))
	fields["search"].(map[string]any)["a_later_setting"] = 0.0
	fields["selfplay"].(map[string]any)["another"] = map[string]any{"on": false, "text": ""}
	if after, _ := json.Marshal(withoutZeros(fields)); string(after) != string(before) {
		t.Errorf("settings that are off make\n%s of\n%s", after, before)
	}
}
