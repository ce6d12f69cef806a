package cluster

import (
	"context"
	"errors"
	"flag"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/internal/fulltest"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

// A worker behind a slow line gets a model whole, also if the line is cut on the way, and its games arrive.
func TestSlowLink(t *testing.T) {
	t.Parallel()
	f := newField(t, "far")
	proxy := newSlowLink(t, f.server.URL()[len("nats://"):], fulltest.Pick(1_000_000, 125_000))
	cfg := smallNet
	cfg.Blocks, cfg.Channels = 3, 64
	large := net.NewWeights(cfg, shape, 1)
	p := f.coordinator(nil)
	s := newSink()
	list := numbers(0, fulltest.Pick[uint64](20, 500))
	far := &checking{toy: toy{parallel: 16}, t: t, want: large}
	conn := f.dial("far", "nats://"+proxy.addr())
	w, _, _ := f.workOn(conn, "far", far)
	result := make(chan error, 1)
	go func() {
		_, err := p.Play(t.Context(), 1, large, selfplay.Numbers(list), s)
		result <- err
	}()
	eventually(t, "half of the model", func() bool { return w.Progress().Fetched >= 40 })
	proxy.cut()
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	s.check(t, 1, list)
	if far.models.Load() == 0 {
		t.Error("no model has come")
	}
}

// checking is a toy that looks at the weights.
type checking struct {
	toy
	t      *testing.T
	want   *net.Weights
	models atomic.Int32
}

func (p *checking) Play(
	ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), sink replay.Sink,
) (replay.Stats, error) {
	got, want := net.Model{Game: "g", Weights: w}, net.Model{Game: "g", Weights: p.want}
	a, err := got.MarshalBinary()
	b, otherErr := want.MarshalBinary()
	if err != nil || otherErr != nil || string(a) != string(b) {
		p.t.Errorf("the model is another: %v, %v", err, otherErr)
	}
	p.models.Add(1)
	return p.toy.Play(ctx, model, w, next, sink)
}

// soak is for how long many workers play in the full run.
var soak = flag.Duration("soak", 15*time.Second, "time for which TestManyWorkers plays with -tags full")

// Many workers play together; for two minutes with -tags full -args -soak 2m.
func TestManyWorkers(t *testing.T) {
	workers := fulltest.Pick(50, 200)
	games := 25 * uint64(workers)
	names := workerNames(workers)
	f := newField(t, names...)
	local := &gated{toy: toy{parallel: 4, pace: 5 * time.Millisecond}, release: make(chan struct{})}
	p := f.coordinator(func(cfg *CoordinatorConfig) { cfg.Local = local })
	for _, name := range names {
		f.work(name, &toy{parallel: 4, pace: 20 * time.Millisecond})
	}
	eventually(t, "all workers", func() bool { return p.Progress().Workers == workers })
	begin := time.Now()
	for model := uint64(0); model == 0 || time.Since(begin) < fulltest.Pick(time.Second, *soak); model++ {
		list, s := numbers(model*games, (model+1)*games), newSink()
		start := time.Now()
		result := f.generate(p, model, list, s)
		if model == 0 {
			eventually(t, "a game of several workers each", func() bool { return s.players() >= workers/20 })
			close(local.release)
		}
		if err := <-result; err != nil {
			t.Fatal(err)
		}
		s.check(t, model, list)
		t.Logf("model %d: %d games in %v by %d workers", model, len(list), time.Since(start), len(s.workers))
	}
	if f.reported("has ended") || f.reported("may not play") {
		t.Errorf("reports %q", f.reports)
	}
}

// A worker that is to end plays its games on, and sends them.
func TestDrain(t *testing.T) {
	t.Parallel()
	f := newField(t, "a")
	p := f.coordinator(nil)
	s := newSink()
	result := f.generate(p, 0, numbers(0, 1000), s)
	player := &toy{parallel: 8, pace: 5 * time.Millisecond}
	f.drain = time.Minute
	_, end, ended := f.work("a", player)
	eventually(t, "some games", func() bool { return player.played.Load() > 20 })
	end()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if played := int(player.played.Load()); s.of("a") != played || played == 1000 {
		t.Errorf("of %d games, %d have come", played, s.of("a"))
	}
	f.work("a", &toy{parallel: 8})
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	s.check(t, 0, numbers(0, 1000))
}

// Games that are too large for one message come one by one. A worker with a game that is too large alone ends and says so.
func TestLargeGames(t *testing.T) {
	t.Parallel()
	f := newField(t, "a", "b")
	p := f.coordinator(nil)
	grow := func(searches int) func(*replay.Record) {
		return func(g *replay.Record) {
			for range searches {
				g.AppendSearch(slices.Repeat([]float32{1}, 1000), 0, 10, replay.FullWeight)
				g.Moves = append(g.Moves, 0)
			}
		}
	}
	result := f.generate(p, 0, numbers(0, 5), newSink())
	_, _, ended := f.work("a", &toy{parallel: 4, change: grow(500)})
	wantError(t, <-ended, "a game needs a message of ")
	f.work("b", &toy{parallel: 4, change: grow(250)})
	if err := <-result; err != nil {
		t.Fatal(err)
	}
}

// A worker says why it cannot join.
func TestJoinRefusals(t *testing.T) {
	t.Parallel()
	f := newField(t, "a")
	_, err := Join(t.Context(), f.dial("a", f.server.URL()), WorkerConfig{Run: EmbeddedRun, Name: replay.LocalWorker, Report: f.report})
	wantError(t, err, "is reserved for the trainer")
	trainer, err := f.server.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(trainer.Close)
	js, err := jetstream.New(trainer)
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: runBucket(EmbeddedRun), Storage: jetstream.MemoryStorage})
	if err != nil {
		t.Fatal(err)
	}
	join := func() error {
		_, err := Join(t.Context(), f.dial("a", f.server.URL()), WorkerConfig{Run: EmbeddedRun, Name: "a", Report: f.report, Open: func(Settings) (Player, error) { return nil, errTest }})
		return err
	}
	if err := join(); !errors.Is(err, ErrNoRun) {
		t.Errorf("without settings: %v", err)
	}
	good := settings()
	good.Protocol, good.Semantics = Protocol, 0
	for part, content := range map[string]string{
		"the run speaks protocol 9":       `{"protocol":9,"semantics":9,"version":"later","shape":"another form"}`,
		"has semantics 0":                 string(encode(good)),
		"protocol 0 and has semantics 0":  `{`,
		"the disk is full":                string(encode(with(good, func(*Settings) {}))),
		"trained with the arithmetic \"a": string(encode(with(good, func(s *Settings) { s.Arithmetic = "abacus" }))),
	} {
		if _, err := bucket.Put(t.Context(), "settings", []byte(content)); err != nil {
			t.Fatal(err)
		}
		wantError(t, join(), part)
	}
}

// A worker asks again when the server fails to answer, and reports what it answers at last.
func TestJoinAsksAgain(t *testing.T) {
	t.Parallel()
	good := settings()
	good.Protocol, good.Semantics = Protocol, selfplay.Semantics
	for _, c := range []struct {
		status string
		times  int // that the server answers it
		asked  int
		want   string
	}{
		{"408 Bad Request", 1, 2, "the disk is full"},
		{"503", 2, 3, "the disk is full"},
		{"409 Server Shutdown", 9, 3, "the server answers 409 Server Shutdown"},
		{"503", 9, 3, ErrNoRun.Error()},
		{"404 Message Not Found", 9, 1, ErrNoRun.Error()},
	} {
		f := newField(t, "a")
		trainer, err := f.server.Connect()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(trainer.Close)
		var asked atomic.Int64
		_, err = trainer.Subscribe(entryRequest(EmbeddedRun, "settings"), func(m *nats.Msg) {
			answer := nats.NewMsg(m.Reply)
			if asked.Add(1) > int64(c.times) {
				answer.Data = encode(good)
			} else {
				status, description, _ := strings.Cut(c.status, " ")
				answer.Header = nats.Header{"Status": {status}, "Description": {description}}
			}
			m.RespondMsg(answer)
		})
		if err != nil || trainer.Flush() != nil {
			t.Fatal(err)
		}
		_, err = Join(t.Context(), f.dial("a", f.server.URL()), WorkerConfig{
			Run: EmbeddedRun, Version: "test", Name: "a", Report: f.report,
			Open: func(Settings) (Player, error) { return nil, errTest },
		})
		wantError(t, err, c.want)
		if n := int(asked.Load()); n != c.asked {
			t.Errorf("%d times %s: asked %d times, want %d", c.times, c.status, n, c.asked)
		}
	}
}

// with returns settings of this program with a change.
func with(s Settings, change func(*Settings)) Settings {
	s.Semantics = selfplay.Semantics
	change(&s)
	return s
}

// A run that continues with other settings asks its workers to join again, and bans none, however fast it plays.
func TestOtherSettings(t *testing.T) {
	f := newField(t, "fast")
	p := f.coordinator(nil)
	_, _, ended := f.work("fast", &toy{parallel: 8})
	ctx, kill := context.WithCancel(t.Context())
	var playing sync.WaitGroup
	playing.Go(func() { p.Play(ctx, 0, weights, selfplay.Numbers(numbers(0, 20_000)), newSink()) })
	eventually(t, "games", func() bool { return p.Progress().Done > 0 })
	kill()
	playing.Wait()
	p.Close()
	p = f.coordinator(func(cfg *CoordinatorConfig) { cfg.Settings.Search.Simulations = 9 })
	s := newSink()
	result := f.generate(p, 0, numbers(0, 200), s)
	if err := <-ended; !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	if s.players() > 0 {
		t.Error("games by other settings count")
	}
	w, _, _ := f.work("fast", &toy{parallel: 8})
	if w.Settings().Search.Simulations != 9 {
		t.Errorf("settings %+v", w.Settings())
	}
	if err := <-result; err != nil || p.Workers()[0].Banned != "" {
		t.Errorf("workers %+v, %v", p.Workers(), err)
	}
}

// The trainer publishes again what the server has lost.
func TestStreamsAreLost(t *testing.T) {
	t.Parallel()
	f := newField(t, "a")
	p := f.coordinator(nil)
	s := newSink()
	f.work("a", &toy{parallel: 2, pace: 2 * time.Millisecond})
	result := f.generate(p, 0, numbers(0, 1000), s)
	eventually(t, "some games", func() bool { return s.of("a") > 50 })
	for _, name := range []string{modelsStream(EmbeddedRun), "KV_" + runBucket(EmbeddedRun), tasksStream(EmbeddedRun)} {
		if err := p.js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	s.check(t, 0, numbers(0, 1000))
}

// The errors of the sink, of the player here and of the context end Play.
func TestErrors(t *testing.T) {
	t.Parallel()
	f := newField(t, "a")
	broken := newSink()
	broken.err = errTest
	p := f.coordinator(nil)
	_, end, _ := f.work("a", &toy{parallel: 2})
	if _, err := p.Play(t.Context(), 0, weights, selfplay.Numbers(numbers(0, 10)), broken); !errors.Is(err, errTest) {
		t.Errorf("a broken sink and a worker: %v", err)
	}
	end()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Play(ctx, 0, weights, selfplay.Numbers(numbers(0, 10)), newSink()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a player: %v", err)
	}
	p.Close()
	p = f.coordinator(func(cfg *CoordinatorConfig) { cfg.Local = &toy{parallel: 2} })
	if _, err := p.Play(t.Context(), 0, weights, selfplay.Numbers(numbers(0, 10)), broken); !errors.Is(err, errTest) {
		t.Errorf("a broken sink and a player: %v", err)
	}
	if stats, err := p.Play(t.Context(), 0, weights, selfplay.Numbers(nil), broken); err != nil || stats.Games != 0 {
		t.Errorf("no games: %v, %v", stats, err)
	}
	s := newSink()
	if stats, err := p.Play(t.Context(), 0, weights, selfplay.Numbers([]uint64{3, 1, 3}), s); err != nil || stats.Games != 2 {
		t.Errorf("after errors: %v, %v", stats, err)
	}
}
