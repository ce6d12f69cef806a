package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/game"
	"tengen/internal/errtest"
	"tengen/internal/random"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

var wantError = errtest.Want

const seed = 7

// toyGame is a game that follows from its number and its model alone. No rules are known that it could break.
func toyGame(model, number uint64) *replay.Record {
	rng := random.New(seed+model, random.SelfPlay, number)
	g := &replay.Record{Number: number, Seed: seed, Model: model, Outcome: int8(rng.IntN(3) - 1), Evaluations: rng.Uint32() | 1}
	for range 5 + rng.IntN(20) {
		g.AppendSearch([]float32{1, 2, rng.Float32()}, rng.Float32(), 10, replay.FullWeight)
		g.Moves = append(g.Moves, game.Action(rng.IntN(9)))
	}
	return g
}

// toy plays toy games, each of which takes as long as pace says.
type toy struct {
	parallel int
	pace     time.Duration
	change   func(*replay.Record) // of a cheat
	played   atomic.Int64
}

func (p *toy) ParallelGames() int { return p.parallel }

func (p *toy) Play(
	ctx context.Context, model uint64, _ *net.Weights, next func() (uint64, bool), sink replay.Sink,
) (replay.Stats, error) {
	var stats replay.Stats
	var places []uint64
	for {
		for len(places) < p.parallel {
			number, ok := next()
			if !ok {
				break
			}
			places = append(places, number)
		}
		if len(places) == 0 {
			return stats, ctx.Err()
		}
		pause(ctx, p.pace)
		if err := ctx.Err(); err != nil {
			return replay.Stats{}, err
		}
		g := toyGame(model, places[0])
		if p.change != nil {
			p.change(g)
		}
		p.played.Add(1)
		stats.Games++
		places = slices.Delete(places, 0, 1)
		if err := sink.Keep(replay.LocalWorker, g); err != nil {
			return replay.Stats{}, err
		}
	}
}

// sink keeps the bytes of games, and tells which came twice.
type sink struct {
	mu      sync.Mutex
	games   map[uint64][]byte
	workers map[string]int
	twice   int
	err     error
}

func newSink() *sink { return &sink{games: map[uint64][]byte{}, workers: map[string]int{}} }

func (s *sink) Keep(worker string, g *replay.Record) error {
	content, err := g.MarshalBinary()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if s.games[g.Number] != nil {
		s.twice++
		return nil
	}
	s.games[g.Number] = content
	s.workers[worker]++
	return nil
}

func (s *sink) Flush(context.Context) error { return nil }

func (s *sink) missing(numbers []uint64) (list []uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range numbers {
		if s.games[n] == nil {
			list = append(list, n)
		}
	}
	return list
}

// of is the number of games that a worker has played.
func (s *sink) of(worker string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.workers[worker]
}

// players is the number of players with kept games.
func (s *sink) players() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.workers)
}

// check finds each game once, with the right bytes.
func (s *sink) check(t *testing.T, model uint64, numbers []uint64) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range numbers {
		want, err := toyGame(model, n).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if string(s.games[n]) != string(want) {
			t.Fatalf("game %d of model %d is missing or another (%d bytes)", n, model, len(s.games[n]))
		}
	}
	if s.twice > 0 {
		t.Errorf("%d games came twice", s.twice)
	}
}

// accept finds nothing wrong with a game.
func accept(*replay.Record) error { return nil }

func numbers(first, end uint64) (list []uint64) {
	for n := first; n < end; n++ {
		list = append(list, n)
	}
	return list
}

var shape = net.Shape{Height: 3, Width: 3, Actions: 9, Planes: game.PlacementPlanes}

var smallNet = net.Config{
	Blocks: 1, Channels: 8, PolicyHead: net.HeadDense, PolicyChannels: 2, ValueHead: net.HeadDense, ValueChannels: 1, ValueHidden: 8,
}

var weights = net.NewWeights(smallNet, shape, 1)

func settings() Settings {
	return Settings{
		Version: "test", Game: "mnk:3,3,3", Seed: seed, Shape: shape, Arithmetic: net.Arithmetic(),
		Selfplay: selfplay.Config{GamesPerWorker: 4},
	}
}

// field is a server, and what has been reported.
type field struct {
	t      testing.TB
	dir    string
	server *Server
	drain  time.Duration // see WorkerConfig
	wait   bool          // see WorkerConfig

	mu      sync.Mutex
	reports []string
}

func newField(t testing.TB, workers ...string) *field {
	t.Helper()
	f := &field{t: t, dir: t.TempDir()}
	for _, name := range workers {
		f.add(name)
	}
	f.start("127.0.0.1:0")
	t.Cleanup(func() { f.server.Close() })
	return f
}

func (f *field) add(name string) {
	f.t.Helper()
	token, err := AddWorker(f.dir, name)
	if err == nil {
		err = os.WriteFile(f.token(name), token, 0o600)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *field) token(name string) string { return filepath.Join(f.dir, name+".token") }

func (f *field) start(listen string) {
	f.t.Helper()
	s, err := StartServer(ServerConfig{Dir: f.dir, Listen: listen, MaxMemory: 64 << 20, Report: f.report})
	if err != nil {
		f.t.Fatal(err)
	}
	f.server = s
}

func (f *field) report(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reports = append(f.reports, err.Error())
	if os.Getenv("TALK") != "" {
		fmt.Println(err)
	}
}

func (f *field) reported(part string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.reports, func(text string) bool { return strings.Contains(text, part) })
}

// coordinator opens one, with what edit changes of the usual.
func (f *field) coordinator(edit func(*CoordinatorConfig)) *Coordinator {
	f.t.Helper()
	conn, err := f.server.Connect()
	if err != nil {
		f.t.Fatal(err)
	}
	cfg := CoordinatorConfig{Run: EmbeddedRun, Settings: settings(), Server: f.server, Report: f.report, Check: accept}
	if edit != nil {
		edit(&cfg)
	}
	p, err := NewCoordinator(f.t.Context(), conn, cfg)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(p.Close)
	return p
}

func (f *field) dial(name, url string) *nats.Conn {
	f.t.Helper()
	conn, err := Dial(DialConfig{URL: url, TokenFile: f.token(name), Report: f.report})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(conn.Close)
	return conn
}

// work starts a worker, which ends with the test or when end is called. The error of its Run comes to ended.
func (f *field) work(name string, player Player) (w *Worker, end func(), ended <-chan error) {
	f.t.Helper()
	return f.workOn(f.dial(name, f.server.URL()), name, player)
}

func (f *field) workOn(conn *nats.Conn, name string, player Player) (w *Worker, end func(), ended <-chan error) {
	f.t.Helper()
	return f.workRun(conn, EmbeddedRun, name, player)
}

func (f *field) workRun(conn *nats.Conn, run, name string, player Player) (w *Worker, end func(), ended <-chan error) {
	f.t.Helper()
	w, err := Join(f.t.Context(), conn, WorkerConfig{
		Run: run, Version: "test", Name: name, Drain: f.drain, Wait: f.wait, Report: f.report,
		Open: func(Settings) (Player, error) { return player, nil },
	})
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	var running sync.WaitGroup
	running.Go(func() {
		err := w.Run(ctx)
		f.report(fmt.Errorf("worker %s has ended: %w", name, err))
		result <- err
	})
	end = func() {
		cancel()
		running.Wait()
		conn.Close()
	}
	f.t.Cleanup(end)
	return w, end, result
}

// eventually waits, generously, until something is so.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after five minutes there is not %s", what)
		}
	}
}

var errTest = errors.New("the disk is full")

func workerNames(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint("w", i))
	}
	return names
}
