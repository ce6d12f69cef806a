package natslog

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/internal/frame"
	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/replay/logtest"
)

// reports collects what a server reports.
type reports struct {
	mu  sync.Mutex
	all []string
}

func (r *reports) add(message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, message)
}

// wait returns when a report contains part.
func (r *reports) wait(t *testing.T, part string) {
	t.Helper()
	eventually(t, "a report that says "+part, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return slices.ContainsFunc(r.all, func(message string) bool { return strings.Contains(message, part) })
	})
}

// eventually waits, generously, until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute there is not %s", what)
		}
	}
}

// admit lets any worker with the token come in.
func admit(user, secret, _ string) error {
	if user != "" || secret != token {
		return errors.New("a wrong token")
	}
	return nil
}

// guarded starts a server that admits any worker with the token.
func guarded(t *testing.T) (*Server, *reports) {
	t.Helper()
	told := &reports{}
	return startServer(t, ServerConfig{Listen: "127.0.0.1:0", Report: told.add, Admit: admit}), told
}

func dialWorker(t *testing.T, url, name string) *nats.Conn {
	t.Helper()
	conn, err := Dial(t.Context(), ClientConfig{URL: url, Token: token, Worker: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// A worker can do what it is there for.
func TestWorkerRights(t *testing.T) {
	t.Parallel()
	s, _ := guarded(t)
	const name = "host.lan-ABCDEFGH"
	checkWorkerMay(t, connect(t, s), 1, dialWorker(t, s.URL(), name), name)
}

// Whatever a worker sends, the run's entries, models and the games of others stay as they were; it hears nothing that is not for it,
// and the worst of what it may send is an entry in the log that counts as damaged.
func TestWorkerMayNot(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	s, told := guarded(t)
	checkWorkerMayNot(t, connect(t, s), 1, s.URL(), nats.Token(token), nats.Name("me-ABCDEFGH/session"), nats.CustomInboxPrefix("_INBOX.me-ABCDEFGH"))
	told.wait(t, "Subscription Violation")
}

// What a worker says in its own place is believed as far as its own games go: garbage, games in the name of others and games that
// are sent again are each an entry with an error.
func TestWorkerForges(t *testing.T) {
	t.Parallel()
	s, _ := guarded(t)
	checkForgeries(t, connect(t, s), dialWorker(t, s.URL(), "victim-ABCDEFGH"), dialWorker(t, s.URL(), "me-ABCDEFGH"))
}

// checkForgeries has me-ABCDEFGH send what is not its own, and victim-ABCDEFGH a game.
func checkForgeries(t *testing.T, trainer, victim, forger *nats.Conn) {
	t.Helper()
	l := openLog(t, trainer, LogConfig{})
	a, err := OpenAppender(t.Context(), victim, AppenderConfig{Run: "run", Worker: "victim-ABCDEFGH"})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	stolen, err := Encode("victim-ABCDEFGH", logtest.Game(1, 9))
	if err != nil {
		t.Fatal(err)
	}
	own, err := Encode("me-ABCDEFGH", logtest.Game(1, 9))
	if err != nil {
		t.Fatal(err)
	}
	later := frame.Seal([]byte{messageVersion + 1})
	me, err := jetstream.New(forger)
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range [][]byte{{}, []byte("garbage"), stolen, later, own, own} {
		if _, err := me.Publish(t.Context(), "games.run.me.ABCDEFGH", message); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Append(t.Context(), logtest.Game(1, 9)); err != nil {
		t.Fatal(err)
	}
	want := []error{replay.ErrDamaged, replay.ErrDamaged, replay.ErrDamaged, replay.ErrVersion, nil, replay.ErrDuplicate, nil}
	entries := logtest.Entries(t, l, 0)
	if len(entries) != len(want) {
		t.Fatalf("%d entries, want %d", len(entries), len(want))
	}
	for i, e := range entries {
		if !errors.Is(e.Err, want[i]) {
			t.Errorf("entry %d: %v, want %v", e.Sequence, e.Err, want[i])
		}
	}
	if e := entries[len(entries)-1]; e.Worker != "victim-ABCDEFGH" || e.Game == nil {
		t.Errorf("the game of the victim is %+v", e)
	}
}

// A worker's game that carries the identifier under which another's next game will come does not take its place.
func TestWorkerTakesIdentifiers(t *testing.T) {
	t.Parallel()
	s, _ := guarded(t)
	l := openLog(t, connect(t, s), LogConfig{})
	a, err := OpenAppender(t.Context(), dialWorker(t, s.URL(), "victim-ABCDEFGH"), AppenderConfig{Run: "run", Worker: "victim-ABCDEFGH", Salt: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	me, err := jetstream.New(dialWorker(t, s.URL(), "me-ABCDEFGH"))
	if err != nil {
		t.Fatal(err)
	}
	g := logtest.Game(1, 9)
	stolen, err := Encode("victim-ABCDEFGH", g)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := me.Publish(t.Context(), "games.run.me.ABCDEFGH", []byte("x"), jetstream.WithMsgID(messageID("", stolen))); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Append(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	entries := logtest.Entries(t, l, 0)
	if n := len(entries); n != 2 || entries[1].Game == nil {
		t.Errorf("the log has %d entries: %+v", n, entries)
	}
}

// A name is had by one connection at a time. The process that has it may take it along to another connection.
func TestWorkerNames(t *testing.T) {
	t.Parallel()
	s, told := guarded(t)
	first, err := Dial(t.Context(), ClientConfig{URL: s.URL(), Token: token, Worker: "w-ABCDEFGH"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Dial(t.Context(), ClientConfig{URL: s.URL(), Token: token, Worker: "w-ABCDEFGH"})
	wantError(t, err, "worker w-ABCDEFGH is revoked, cut off or connected already")
	told.wait(t, "another connection plays as worker w-ABCDEFGH: is the spool a copy?")
	dialWorker(t, s.URL(), "v-ABCDEFGH")
	if err := first.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a connection", func() bool { return first.IsConnected() && first.Flush() == nil })
	first.Close()
	eventually(t, "the free name", func() bool {
		conn, err := Dial(t.Context(), ClientConfig{URL: s.URL(), Token: token, Worker: "w-ABCDEFGH"})
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	for _, name := range []string{"", "a b/x", strings.Repeat("x", 65), "games.>", "\x1b[2J"} {
		conn, err := nats.Connect(s.URL(), nats.Token(token), nats.Name(name))
		if err == nil {
			conn.Close()
			t.Errorf("a worker may have the name %q", name)
		}
	}
}

// Who is not admitted any more is cut off, cannot come back, and is told what it may be.
func TestWorkerIsRevoked(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	told := &reports{}
	var mu sync.Mutex
	revoked := ""
	s := startServer(t, ServerConfig{Listen: "127.0.0.1:0", Report: told.add, Admit: func(_, secret, worker string) error {
		mu.Lock()
		defer mu.Unlock()
		if secret != token || worker == revoked {
			return errors.New("it is revoked")
		}
		return nil
	}})
	openLog(t, connect(t, s), LogConfig{})
	lost := make(chan struct{}, 100)
	refusals := &reports{}
	conn, err := Dial(t.Context(), ClientConfig{
		URL: s.URL(), Token: token, Worker: "bad-ABCDEFGH", OnDisconnect: func(error) { lost <- struct{}{} },
		OnError: func(err error) { refusals.add(err.Error()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	good := dialWorker(t, s.URL(), "good-ABCDEFGH")
	a, err := OpenAppender(t.Context(), conn, AppenderConfig{Run: "run", Worker: "bad-ABCDEFGH", Patience: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	mu.Lock()
	revoked = "bad-ABCDEFGH"
	mu.Unlock()
	<-lost
	told.wait(t, "the connection of worker bad-ABCDEFGH is cut: it is revoked")
	told.wait(t, "is refused: it is revoked") // it has tried again
	refusals.wait(t, "worker bad-ABCDEFGH is revoked, cut off or connected already: the run says which")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := a.Append(ctx, logtest.Game(1, 9)); err == nil {
		t.Error("a revoked worker has sent a game")
	}
	if err := good.Flush(); err != nil {
		t.Error(err)
	}
}
