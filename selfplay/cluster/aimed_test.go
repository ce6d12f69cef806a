package cluster

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/internal/printable"
	"tengen/selfplay"
)

// A worker that aims the server's answers at whatever others listen to neither stops a worker nor brings it into
// disrepute, on the embedded server and on one with the documented configuration.
func TestAimedAnswers(t *testing.T) {
	for name, open := range map[string]func(*testing.T) site{"embedded": embedded, "elsewhere": elsewhere} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			p, err := NewCoordinator(t.Context(), s.connect(), CoordinatorConfig{Run: s.run, Settings: settings(), Check: accept, Report: func(error) {}})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			f := &field{t: t}
			player := &toy{parallel: 4, pace: 20 * time.Millisecond}
			_, end, _ := f.workRun(s.dial(t, s.other), s.run, s.other, player)
			defer end()

			attacker := s.dial(t, s.me, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
			places := []string{"order." + s.run, gamesSubject(s.run, s.other), statusSubject(s.run, s.other)}
			for _, place := range places { // there are no tasks yet
				attacker.PublishRequest(pullSubject(s.run, s.me), place, []byte(`{"batch":1,"no_wait":true}`))
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
			if _, err := p.Play(t.Context(), 0, weights, selfplay.Numbers(list), sink); err != nil {
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

// Workers receive nothing but answers to their own requests: not even the run's model reaches one that another worker
// wants to choke with it.
func TestWorkersHearOnlyAnswers(t *testing.T) {
	for name, open := range map[string]func(*testing.T) site{"embedded": embedded, "elsewhere": elsewhere} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			p, err := NewCoordinator(t.Context(), s.connect(), CoordinatorConfig{Run: s.run, Settings: settings(), Check: accept, Report: func(error) {}})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			f := &field{t: t}
			victim := s.dial(t, s.other)
			_, end, _ := f.workRun(victim, s.run, s.other, &toy{parallel: 4})
			defer end()
			eventually(t, "the worker", func() bool { return len(p.Workers()) > 0 })

			attacker := s.dial(t, s.me, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
			before := victim.Stats().InMsgs
			const aimed = 1000
			for range aimed {
				for _, place := range []string{"order." + s.run, "_INBOX." + s.other, "_INBOX." + s.other + ".>", statusSubject(s.run, s.other)} {
					attacker.PublishRequest(entryRequest(s.run, "settings"), place, nil)
				}
			}
			if _, err := attacker.Request(entryRequest(s.run, "settings"), nil, time.Minute); err != nil {
				t.Fatal(err)
			}
			if err := victim.Flush(); err != nil {
				t.Fatal(err)
			}
			if heard := victim.Stats().InMsgs - before; heard >= aimed {
				t.Errorf("another worker receives %d messages", heard)
			}
		})
	}
}

// The trainer answers a worker's report once there is another order than the worker knows.
func TestNews(t *testing.T) {
	f := newField(t, "a")
	p := f.coordinator(nil)
	conn := f.dial("a", f.server.URL())
	reported := func(nonce string) []byte { return encode(report{status{State: stateWaiting}, nonce}) }
	nonce := func() string {
		m, err := conn.Request(entryRequest(EmbeddedRun, "order"), nil, time.Minute)
		var o order
		if err == nil && len(m.Data) > 0 && json.Unmarshal(m.Data, &o) != nil {
			t.Errorf("the order is %q", m.Data)
		}
		return o.Nonce
	}
	eventually(t, "an order", func() bool { return nonce() != "" })
	for range 2 {
		if _, err := conn.Request(statusSubject(EmbeddedRun, "a"), reported("old"), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	news, err := conn.SubscribeSync(conn.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.PublishRequest(statusSubject(EmbeddedRun, "a"), news.Subject, reported(nonce())); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the report", func() bool {
		asks := false
		p.members.at("a", func(w *member) { asks = w.asks != "" })
		return asks
	})
	if n, _, err := news.Pending(); n > 0 || err != nil {
		t.Errorf("%d news are no news, %v", n, err)
	}
	f.generate(p, 0, numbers(0, 1), newSink())
	if _, err := news.NextMsg(time.Minute); err != nil {
		t.Error(err)
	}
}

// A message with games that wants its answer outside the sender's inbox gets none, since the answer could do harm there.
func TestAnswersOnlyToTheInbox(t *testing.T) {
	p := &Coordinator{members: &members{all: map[string]*member{}}, arrived: make(chan *nats.Msg, 10)}
	for reply, want := range map[string]int{
		"": 0, "order.run": 0, "$JS.API.STREAM.DELETE.tasks-run": 0, "$JS.ACK.tasks-run.play.1.1.1.1.1": 0, "_INBOX.other.x": 0, "_INBOX.mex": 0,
		"_INBOX.me.x.y": 1, "_R_.abc": 1,
	} {
		before := len(p.arrived)
		p.arrive(&nats.Msg{Subject: gamesSubject("run", "me"), Reply: reply, Data: []byte(reply)})
		if got := len(p.arrived) - before; got != want {
			t.Errorf("%q: %d messages are taken, want %d", reply, got, want)
		}
	}
}

// A status with a text for the terminal or without end is dropped, and ten such cost their sender its token.
func TestStatusText(t *testing.T) {
	f := newField(t, "bad")
	p := f.coordinator(nil)
	conn := f.dial("bad", f.server.URL())
	sent := 0
	eventually(t, "a ban", func() bool { // the first may come before the trainer listens
		r := report{status{State: "\x1b[2J\ntengen: error: run failed"}, ""}
		if sent++; sent%2 > 0 {
			r.status = status{State: statePlaying, Version: strings.Repeat("A", 900_000)}
		}
		conn.PublishRequest(statusSubject(EmbeddedRun, "bad"), conn.NewInbox(), encode(r))
		return p.members.banned("bad") != ""
	})
	if sent < maxMalformed {
		t.Errorf("a ban after %d statuses", sent)
	}
	if w := p.Workers(); w[0].Version != "" || w[0].State != "banned" || len(w[0].Banned) > 500 || printable.Text(w[0].Banned, 500) != w[0].Banned {
		t.Errorf("workers %+v", w)
	}
}

// Messages for other settings are dropped before they take a place in the queue. What only looks like one counts as
// malformed.
func TestStaleMessages(t *testing.T) {
	f := newField(t, "late", "false")
	p := f.coordinator(nil)
	send := func(worker, content string) {
		p.arrive(&nats.Msg{Subject: gamesSubject(EmbeddedRun, worker), Reply: inboxOf(worker) + ".1", Data: []byte(content)})
	}
	for range 10 * maxArrived {
		send("late", string(encode(message{digest([]byte("another")), [][]byte{{1}}})))
	}
	for range maxMalformed {
		send("false", `{"settings":"x","games":[`+strings.Repeat(`"",`, 50)+`""]}`)
	}
	eventually(t, "a ban", func() bool { return p.members.banned("false") != "" })
	if w := p.Workers(); slices.ContainsFunc(w, func(w WorkerStatus) bool { return w.Name == "late" }) {
		t.Errorf("workers %+v", w)
	}
}

// A status has a known state and short printable texts, or it counts against its sender.
func FuzzReport(f *testing.F) {
	f.Add(encode(report{status{State: statePlaying, Model: 3, Version: "v1.2", Arithmetic: "go1.26/avx2"}, "nonce"}))
	f.Add([]byte("{\"state\":\"\\u001b[2J\"}"))
	f.Add([]byte(`{"state":"waiting","version":"\u202e"}`))
	f.Add([]byte(`{"state":"gone"}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		s, err := readReport(content)
		if err != nil {
			return
		}
		for _, text := range []string{s.State, s.Version, s.Arithmetic, s.Order} {
			if printable.Text(text, maxShown) != text {
				t.Errorf("%q is accepted", text)
			}
		}
		if again, err := readReport(encode(s)); err != nil || again != s {
			t.Errorf("%+v is read as %+v, %v", s, again, err)
		}
	})
}

// Whatever is in a message, the trainer reads no games but those for its settings, and what it writes it reads.
func FuzzMessage(f *testing.F) {
	f.Add(encode(message{digest(nil), [][]byte{{1, 2}}}))
	f.Add([]byte(`{"settings":"x","games":["",""]}`))
	f.Add([]byte(`{"settings":"x","games":["` + strings.Repeat(`","`, 100) + `"]}`))
	f.Add([]byte(`{"games":[],"settings":"x"}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		p := &Coordinator{digest: digest(nil), members: &members{all: map[string]*member{}}, malformed: newNotices(func(error) {}), cfg: CoordinatorConfig{Report: func(error) {}}}
		j := newJob(t.Context(), 0, nil, []uint64{1}, newSink())
		defer j.end(nil)
		if games, _ := p.examine(j, "w", content); len(games) > 0 {
			t.Errorf("%q holds games", content)
		}
		if found, ok := settingsOf(content); ok && strings.Trim(found, "0123456789abcdef") != "" {
			t.Errorf("%q is no digest", found)
		}
		own, ok := settingsOf(encode(message{digest(content), nil}))
		if !ok || own != digest(content) {
			t.Errorf("a message's settings are %q, %v", own, ok)
		}
	})
}

// Settings and orders that a worker accepts are written and read as the same.
func FuzzSettings(f *testing.F) {
	good := settings()
	good.Protocol, good.Semantics = Protocol, selfplay.Semantics
	f.Add(encode(good))
	good.Version, good.Arithmetic = "\x1b[2J\n", "\u202e"
	f.Add(encode(good))
	f.Add(encode(order{Settings: "x", Model: modelInfo{1, 2, "y"}, Nonce: "z"}))
	f.Add([]byte(`{"protocol":3,"semantics":1,"search":{"simulations":99999999}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		if s, err := readSettings(content); err == nil {
			if shown := s.Version + s.Game + s.Arithmetic; printable.Text(shown, len(shown)) != shown {
				t.Errorf("%q is accepted", shown)
			}
			if again, err := readSettings(encode(s)); err != nil || digest(encode(again)) != digest(encode(s)) {
				t.Errorf("%+v is read as %+v, %v", s, again, err)
			}
		}
		canceled := 0
		w := &Worker{ordered: newSignal(), cancel: func() { canceled++ }}
		for range 2 {
			w.setOrder(content)
		}
		if canceled > 1 {
			t.Errorf("%q, read twice, is taken for another order", content)
		}
	})
}

// A task that a worker accepts is written and read as the same, and has no more games than a killed worker may lose.
func FuzzTask(f *testing.F) {
	f.Add(encode(task{1, 2, 3}))
	f.Add([]byte(`{"first":9,"end":1}`))
	f.Add([]byte(`{"end":18446744073709551615}`))
	f.Add([]byte(`{"first":18446744073709551615,"end":1}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := readTask(content)
		if err != nil {
			return
		}
		if again, err := readTask(encode(got)); err != nil || again != got || got.First > got.End || got.End-got.First > maxTaskGames {
			t.Errorf("%q is read as %+v, then %+v, %v", content, got, again, err)
		}
	})
}
