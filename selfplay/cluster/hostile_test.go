package cluster

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/replay"
	"tengen/selfplay"
)

// generate plays games in the background. The error comes to the channel.
func (f *field) generate(p *Coordinator, model uint64, list []uint64, s replay.Sink) <-chan error {
	result := make(chan error, 1)
	go func() {
		_, err := p.Play(f.t.Context(), model, weights, selfplay.Numbers(list), s)
		result <- err
	}()
	eventually(f.t, "a job", func() bool { return p.job.Load() != nil || len(result) > 0 })
	return result
}

// send sends records as a worker does. The answer says why they are refused.
func send(t *testing.T, conn *nats.Conn, p *Coordinator, name string, games ...*replay.Record) (refused string) {
	t.Helper()
	var records [][]byte
	for _, g := range games {
		content, err := g.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, content)
	}
	return sendRaw(t, conn, name, encode(message{p.digest, records}))
}

func sendRaw(t *testing.T, conn *nats.Conn, name string, message []byte) (refused string) {
	t.Helper()
	m, err := conn.Request(gamesSubject(EmbeddedRun, name), message, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return string(m.Data)
}

// changed is a toy game with something else about it.
func changed(model, number uint64, change func(*replay.Record)) *replay.Record {
	g := toyGame(model, number)
	change(g)
	return g
}

// What is not wanted does no harm; what no honest worker sends is refused.
func TestAnswers(t *testing.T) {
	t.Parallel()
	f := newField(t, "a")
	p := f.coordinator(func(cfg *CoordinatorConfig) {
		cfg.Check = func(g *replay.Record) error {
			if len(g.Moves) == 0 {
				return errTest
			}
			return nil
		}
	})
	conn := f.dial("a", f.server.URL())
	if refused := send(t, conn, p, "a", toyGame(5, 0)); refused != "" {
		t.Errorf("before anything is wanted: %s", refused)
	}
	s := newSink()
	result := f.generate(p, 5, numbers(0, 10), s)
	for _, c := range []struct {
		what    string
		games   []*replay.Record
		kept    int // so far
		refused string
	}{
		{"nothing", nil, 0, ""},
		{"nothing again", nil, 0, ""},
		{"two games", []*replay.Record{toyGame(5, 0), toyGame(5, 1)}, 2, ""},
		{"a game again and a new one", []*replay.Record{toyGame(5, 1), toyGame(5, 2)}, 3, ""},
		{"a game of an old model", []*replay.Record{toyGame(4, 3)}, 3, ""},
		{"a number that is not wanted", []*replay.Record{toyGame(5, 10)}, 3, ""},
		{"another seed", []*replay.Record{changed(5, 3, func(g *replay.Record) { g.Seed++ })}, 3, "game 3 has the seed 8, but the run has 7"},
		{"a game against the rules", []*replay.Record{{Number: 3, Seed: seed, Model: 5}}, 3, errTest.Error()},
	} {
		refused := send(t, conn, p, "a", c.games...)
		if kept := p.Progress().Done; kept != c.kept || !strings.Contains(refused, c.refused) || (refused == "") != (c.refused == "") {
			t.Errorf("%s: %d games are kept, refused because %q, want %d and %q", c.what, kept, refused, c.kept, c.refused)
		}
	}
	if got := p.Progress(); got.Done != 3 || got.Needed != 10 || !got.Waits() {
		t.Errorf("progress %+v", got)
	}
	for n := range uint64(10) {
		send(t, conn, p, "a", toyGame(5, n))
	}
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	s.check(t, 5, numbers(0, 10))
}

// A worker that sends malformed messages loses its token and is disconnected. The others play on. With a new token it plays
// again in the running trainer.
func TestMalformed(t *testing.T) {
	t.Parallel()
	f := newField(t, "bad", "good")
	p := f.coordinator(nil)
	s := newSink()
	result := f.generate(p, 0, numbers(0, 100), s)
	conn := f.dial("bad", f.server.URL())
	messages := [][]byte{nil, []byte("x"), encode(message{p.digest, [][]byte{{1, 2, 3}}}), encode(message{p.digest, nil})[:20]}
	for i := range maxMalformed - 1 {
		if sendRaw(t, conn, "bad", messages[i%len(messages)]) == "" {
			t.Fatalf("malformed message %d is not refused", i)
		}
	}
	if !conn.IsConnected() {
		t.Error("it is disconnected too soon")
	}
	sendRaw(t, conn, "bad", []byte("x"))
	eventually(t, "the end of the connection", func() bool { return !conn.IsConnected() })
	if _, err := Dial(DialConfig{URL: f.server.URL(), TokenFile: f.token("bad"), Report: f.report}); err == nil {
		t.Error("a revoked worker comes in")
	}
	p.pardon(time.Now())
	if w := p.Workers(); len(w) != 1 || w[0].State != "banned" || !strings.Contains(w[0].Banned, "messages that are not games of the run") {
		t.Errorf("workers %+v", w)
	}
	_, end, _ := f.work("good", &toy{parallel: 4})
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	s.check(t, 0, numbers(0, 100))
	end()
	f.add("bad")
	f.work("bad", &toy{parallel: 4})
	if err := <-f.generate(p, 1, numbers(100, 110), s); err != nil || s.of("bad") != 10 || p.worker("bad").Banned != "" {
		t.Errorf("with a new token: games %v, %v", s.workers, err)
	}
}

// A worker that loses its token ends, and says why, whether it plays or waits for an order, as between two iterations.
func TestRevokedWorkerEnds(t *testing.T) {
	t.Parallel()
	f := newField(t, "a", "b")
	p := f.coordinator(nil)
	s := newSink()
	result := f.generate(p, 0, numbers(0, 200), s)
	revoke := func(name string, ended <-chan error) {
		t.Helper()
		if err := RevokeWorker(f.dir, name, Ban{}); err != nil {
			t.Fatal(err)
		}
		wantError(t, <-ended, "the token is wrong or missing, or was revoked")
	}
	w, _, ended := f.work("a", &toy{parallel: 2, pace: 20 * time.Millisecond})
	eventually(t, "games", func() bool { return w.Progress().Games > 0 })
	revoke("a", ended)
	_, _, ended = f.work("b", &toy{parallel: 8, pace: time.Millisecond})
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	s.check(t, 0, numbers(0, 200))
	revoke("b", ended)
}

// A worker whose games come out otherwise when they are played again is found out, and loses its token; an honest one is not.
func TestVerify(t *testing.T) {
	t.Parallel()
	f := newField(t, "bad", "good")
	p := f.coordinator(func(cfg *CoordinatorConfig) { cfg.Verify, cfg.Verifier = 1, &toy{parallel: 4} })
	cheat := &toy{parallel: 4, pace: time.Millisecond, change: func(g *replay.Record) { g.Values[0] /= 2 }}
	f.work("bad", cheat)
	f.work("good", &toy{parallel: 4, pace: time.Millisecond})
	s := newSink()
	if err := <-f.generate(p, 2, numbers(0, 400), s); err != nil {
		t.Fatal(err)
	}
	if banned, err := falseWorkers(f.dir); err != nil || !slices.Equal(banned, []string{"bad"}) {
		t.Errorf("false games are of %v, %v", banned, err)
	}
	if banned := p.Banned(); !slices.Equal(banned, []string{"bad"}) || p.Banned() != nil {
		t.Errorf("banned %v", banned)
	}
	if banned := f.coordinator(nil).Banned(); !slices.Equal(banned, []string{"bad"}) {
		t.Errorf("a later process: banned %v", banned)
	}
	if !f.reported("worker bad may no longer play: its game") || !f.reported("of model 2 differs when it is played again: the search at ply 0: the value is") {
		t.Errorf("reports %q", f.reports)
	}
	if n := p.Progress().Verified; n != 400 {
		t.Errorf("%d games were played again", n)
	}
	if _, err := AddWorker(f.dir, "bad"); err != nil {
		t.Fatal(err)
	}
	if banned, err := falseWorkers(f.dir); err != nil || len(banned) > 0 {
		t.Errorf("after a new token false games are of %v, %v", banned, err)
	}
}

// A worker whose token was revoked by hand before its false games were found is banned for them, until it gets a new token.
func TestBanOfARevokedWorker(t *testing.T) {
	t.Parallel()
	f := newField(t, "bad")
	p := f.coordinator(nil)
	if err := RevokeWorker(f.dir, "bad", Ban{}); err != nil {
		t.Fatal(err)
	}
	wantError(t, RevokeWorker(f.dir, "bad", Ban{}), `there is no worker "bad" with a token`)
	workers, err := ListWorkers(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	p.ban("bad", Ban{FalseGames: true, Reason: "its game differs"})
	if f.reported("cannot be revoked") {
		t.Errorf("reports %q", f.reports)
	}
	if banned, err := falseWorkers(f.dir); err != nil || !slices.Equal(banned, []string{"bad"}) {
		t.Errorf("false games are of %v, %v", banned, err)
	}
	if after, err := ListWorkers(f.dir); err != nil || !after[0].Revoked.Equal(workers[0].Revoked) {
		t.Errorf("the workers are %v, %v", after, err)
	}
	p.pardon(time.Now())
	if p.members.banned("bad") == "" {
		t.Error("pardoned without a new token")
	}
	f.add("bad")
	p.pardon(time.Now())
	if reason := p.members.banned("bad"); reason != "" {
		t.Errorf("banned in spite of a new token: %s", reason)
	}
}

// A worker that loses its token for malformed messages cannot hide its false games behind that.
func TestFalseGamesOfABannedWorker(t *testing.T) {
	t.Parallel()
	f := newField(t, "bad", "good")
	verifier := &gated{toy: toy{parallel: 4}, release: make(chan struct{})}
	p := f.coordinator(func(cfg *CoordinatorConfig) { cfg.Verify, cfg.Verifier = 1, verifier })
	s := newSink()
	result := f.generate(p, 2, numbers(0, 20), s)
	conn := f.dial("bad", f.server.URL())
	if refused := send(t, conn, p, "bad", changed(2, 3, func(g *replay.Record) { g.Values[0] /= 2 })); refused != "" {
		t.Fatal(refused)
	}
	for range maxMalformed {
		sendRaw(t, conn, "bad", []byte("x"))
	}
	if !strings.Contains(p.members.banned("bad"), "messages that are not games of the run") {
		t.Errorf("workers %+v", p.Workers())
	}
	close(verifier.release)
	f.work("good", &toy{parallel: 4})
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	if banned := p.Banned(); !slices.Equal(banned, []string{"bad"}) {
		t.Errorf("banned %v", banned)
	}
	if banned, err := falseWorkers(f.dir); err != nil || !slices.Equal(banned, []string{"bad"}) {
		t.Errorf("false games are of %v, %v", banned, err)
	}
	f.add("bad")
	p.pardon(time.Now())
	p.ban("bad", Ban{FalseGames: true, Reason: "its game differs"})
	if banned := p.Banned(); !slices.Equal(banned, []string{"bad"}) {
		t.Errorf("after a new token: banned %v", banned)
	}
}

// A machine that does not agree with itself catches no worker.
func TestVerifyDisagrees(t *testing.T) {
	t.Parallel()
	f := newField(t, "good")
	var played atomic.Int32
	faulty := &toy{parallel: 4, change: func(g *replay.Record) { g.Values[0] = float32(played.Add(1)) / 1024 }} // never the same twice
	p := f.coordinator(func(cfg *CoordinatorConfig) { cfg.Verify, cfg.Verifier = 0.5, faulty })
	f.work("good", &toy{parallel: 4})
	wantError(t, <-f.generate(p, 2, numbers(0, 100), newSink()), "differs from itself when this machine plays it twice")
}
