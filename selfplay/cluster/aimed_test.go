package cluster

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/internal/printable"
)

// A worker that aims the server's answers at whatever others listen to neither stops a worker nor brings it into
// disrepute, on the embedded server and on one with the documented configuration.
func TestAimedAnswers(t *testing.T) {
	for name, open := range map[string]func(*testing.T) site{"embedded": embedded, "elsewhere": elsewhere} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			p, err := NewPool(t.Context(), s.connect(), PoolConfig{Run: s.run, Settings: settings(), Check: accept, Report: func(error) {}})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			f := &field{t: t}
			player := &toy{parallel: 4, pace: 20 * time.Millisecond}
			_, end, _ := f.workRun(s.dial(t, s.other), s.run, s.other, player)
			defer end()

			attacker := s.dial(t, s.me, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
			places := []string{newsSubject(s.run), gamesSubject(s.run, s.other), statusSubject(s.run, s.other)}
			for _, place := range places { // there are no tasks yet
				attacker.PublishRequest(pullSubject(s.run), place, []byte(`{"batch":1,"no_wait":true}`))
			}
			playing := make(chan struct{})
			var attacking sync.WaitGroup
			attacking.Go(func() {
				for {
					for _, place := range places {
						attacker.PublishRequest(entryRequest(s.run, "settings"), place, nil)
					}
					select {
					case <-playing:
						return
					case <-time.After(5 * time.Millisecond):
					}
				}
			})
			defer attacking.Wait()
			defer close(playing)
			list, sink := numbers(0, 60), newSink()
			if _, err := p.Generate(t.Context(), 0, weights, list, sink); err != nil {
				t.Fatal(err)
			}
			sink.check(t, 0, list)
			for _, w := range p.Workers() {
				if w.Name == s.other && (w.Banned != "" || !w.Connected || w.Version != "test") {
					t.Errorf("the honest worker's status is %+v", w)
				}
			}
		})
	}
}

// A message with games that wants its answer outside the sender's inbox gets none, since the answer could do harm there.
func TestAnswersOnlyToTheInbox(t *testing.T) {
	p := &Pool{members: &members{all: map[string]*member{}}, arrived: make(chan *nats.Msg, 10)}
	for reply, want := range map[string]int{
		"": 0, "order.run": 0, "$JS.API.STREAM.DELETE.tasks-run": 0, "$JS.ACK.tasks-run.play.1.1.1.1.1": 0, "_INBOX.other.x": 0, "_INBOX.mex": 0,
		"_INBOX.me.x.y": 1, "_R_.abc": 1,
	} {
		before := len(p.arrived)
		p.arrive(&nats.Msg{Subject: gamesSubject("run", "me"), Reply: reply})
		if got := len(p.arrived) - before; got != want {
			t.Errorf("%q: %d messages are taken, want %d", reply, got, want)
		}
	}
}

// Messages for other settings, of which a fast worker sends many when a run restarts, cost nobody a token. What only looks
// like one counts as malformed at once.
func TestStaleMessages(t *testing.T) {
	f := newField(t, "late", "false")
	p := f.pool(nil)
	stale := encode(message{digest([]byte("another")), [][]byte{{1}}})
	for range 10_000 {
		if games, refused := p.examine(nil, "late", stale); len(games) > 0 || refused != "" {
			t.Fatalf("%d games, refused because %q", len(games), refused)
		}
	}
	if reason := p.members.banned("late"); reason != "" {
		t.Errorf("an honest worker is banned: %s", reason)
	}
	deep := []byte(`{"settings":"x","games":[` + strings.Repeat(`"",`, 50) + `""]}`)
	for range mostMalformed {
		p.examine(nil, "false", deep)
	}
	if p.members.banned("false") == "" {
		t.Error("settings that are no digest do not count")
	}
}

// A status has a known state and short printable texts, or it counts against its sender.
func FuzzReadStatus(f *testing.F) {
	f.Add(encode(status{State: statePlaying, Model: 3, Version: "v1.2", Arithmetic: "go1.26/avx2"}))
	f.Add([]byte("{\"state\":\"\\u001b[2J\"}"))
	f.Add([]byte(`{"state":"waiting","version":"\u202e"}`))
	f.Add([]byte(`{"state":"gone"}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		s, err := readStatus(content)
		if err != nil {
			return
		}
		for _, text := range []string{s.State, s.Version, s.Arithmetic} {
			if printable.Text(text, mostShown) != text {
				t.Errorf("%q is accepted", text)
			}
		}
		if again, err := readStatus(encode(s)); err != nil || again != s {
			t.Errorf("%+v is read as %+v, %v", s, again, err)
		}
	})
}

// Whatever is in a message, the trainer reads no games but those for its settings, and what it writes it reads.
func FuzzMessage(f *testing.F) {
	f.Add(encode(message{digest(nil), [][]byte{{1, 2}}}))
	f.Add([]byte(`{"settings":"x","games":["",""]}`))
	f.Add([]byte(`{"games":[],"settings":"x"}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		p := &Pool{digest: digest(nil), members: &members{all: map[string]*member{}}, malformed: newNotices(func(error) {}), cfg: PoolConfig{Report: func(error) {}}}
		b := newBook(t.Context(), 0, nil, []uint64{1}, newSink())
		defer b.end(nil)
		if games, _ := p.examine(b, "w", content); len(games) > 0 {
			t.Errorf("%q holds games", content)
		}
		own, ok := settingsOf(encode(message{digest(content), nil}))
		if !ok || own != digest(content) {
			t.Errorf("a message's settings are %q, %v", own, ok)
		}
	})
}

// Settings and orders that a worker accepts are written and read as the same, and stay within a worker's limits.
func FuzzSettings(f *testing.F) {
	good := settings()
	good.Protocol, good.Semantics = Protocol, 1
	f.Add(encode(good))
	f.Add(encode(order{Settings: "x", Model: modelInfo{1, 2, "y"}, Nonce: "z"}))
	f.Add([]byte(`{"protocol":3,"semantics":1,"search":{"simulations":99999999}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		if s, err := readSettings(content); err == nil {
			if again, err := readSettings(encode(s)); err != nil || digest(encode(again)) != digest(encode(s)) {
				t.Errorf("%+v is read as %+v, %v", s, again, err)
			}
			if s.Search.Simulations > 1_000_000 || s.Selfplay.CacheMegabytes > 16<<10 {
				t.Errorf("%+v is beyond a worker's limits", s)
			}
		}
		canceled := 0
		w := &Worker{ordered: newBell(), cancel: func() { canceled++ }, repeat: func() {}}
		for range 2 {
			w.hear(content)
		}
		if canceled > 1 {
			t.Errorf("%q, read twice, is taken for another order", content)
		}
	})
}
