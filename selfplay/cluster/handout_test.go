package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/net"
	"tengen/replay"
)

// Players take what nobody holds, in shares; then what others have held for longer than their patience, each in turn.
func TestTake(t *testing.T) {
	j := newJob(t.Context(), 0, nil, numbers(0, 10), nil)
	defer j.end(nil)
	now := time.Now()
	a, b := newHolder(), newHolder()
	take := func(h *holder, most, players int, want ...uint64) {
		t.Helper()
		got := j.take(most, players, time.Second, h.held, now)
		h.hold(got, now)
		if !slices.Equal(got, want) {
			t.Errorf("takes %v, want %v", got, want)
		}
	}
	take(&a, 100, 2, 0, 1, 2, 3, 4) // its share of ten
	take(&b, 2, 2, 5, 6)
	j.claim(7) // a late game of an earlier process
	take(&b, 100, 1, 8, 9)
	now = now.Add(time.Second)
	take(&b, 100, 1) // nobody has held a game for longer than a second
	now = now.Add(time.Millisecond)
	j.claim(1)
	take(&b, 3, 1, 0, 2, 3)
	take(&a, 100, 1, 5, 6, 8, 9) // not its own
	now = now.Add(2 * time.Second)
	j.giveBack(a.held) // a has gone
	take(&a, 100, 1, 0, 2, 3, 4, 5, 6, 8, 9)
}

// Only games shrink what a worker holds. It holds no more than twice what it plays at once, whatever it says.
func TestRoom(t *testing.T) {
	now := time.Now()
	w := &member{holder: newHolder(), consumer: true}
	room := func(atOnce, want int) {
		t.Helper()
		w.AtOnce = atOnce
		if got := w.room(0); got != want {
			t.Errorf("plays %d at once, holds %d: room for %d, want %d", atOnce, len(w.held), got, want)
		}
	}
	room(0, 0)
	room(-1<<62, 0)
	room(1<<62, 2*maxAtOnce)
	w.hold(numbers(0, 7), now)
	room(4, 0) // a message for few games
	w.receive(100, now)
	room(4, 0)
	w.receive(3, now)
	room(4, 2)
	w.Model = 1 // it has another model
	room(4, 0)
}

// hostile is a client with a worker's token that says that it plays a job's games.
func hostile(t *testing.T, f *field, p *Coordinator, name string, atOnce int) *nats.Conn {
	t.Helper()
	conn := f.dial(name, f.server.URL())
	eventually(t, "a consumer", func() bool {
		beat(conn, name, atOnce)
		has := false
		p.members.at(name, func(w *member) { has = w.consumer })
		return has
	})
	return conn
}

// beat says that a worker plays model 0.
func beat(conn *nats.Conn, name string, atOnce int) {
	conn.PublishRequest(statusSubject(EmbeddedRun, name), conn.NewInbox(), encode(report{status: status{State: statePlaying, AtOnce: atOnce}}))
	conn.Flush()
}

// keepBeating does so until the connection closes.
func keepBeating(conn *nats.Conn, name string, atOnce int) {
	for ; !conn.IsClosed(); time.Sleep(100 * time.Millisecond) {
		beat(conn, name, atOnce)
	}
}

// A worker that takes all that it may and returns nothing stops neither a trainer that plays nor another worker, whatever it
// answers for its tasks. They do not make it get more.
func TestHoarder(t *testing.T) {
	for _, answer := range []string{"", "+ACK", "-NAK", `-NAK {"delay":3600000000000}`, "+WPI", "+TERM"} {
		for _, local := range []bool{false, true} {
			t.Run(fmt.Sprintf("answer %s, local %v", answer, local), func(t *testing.T) {
				t.Parallel()
				f := newField(t, "bad", "good")
				good := &gated{toy: toy{parallel: 4, pace: time.Millisecond}, release: make(chan struct{})}
				p := f.coordinator(func(cfg *CoordinatorConfig) {
					if local {
						cfg.Local = good
					}
				})
				s := newSink()
				result := f.generate(p, 0, numbers(0, 200), s)
				conn := hostile(t, f, p, "bad", 8)
				go keepBeating(conn, "bad", 8)
				taken := map[uint64]bool{}
				next := func() (more bool) {
					m := pulled(t, conn, EmbeddedRun, "bad")
					defer m.Respond([]byte(answer))
					task, err := readTask(m.Data)
					more = err == nil && m.Header.Get("Status") == "" && !taken[task.First]
					for n := task.First; more && n < task.End; n++ {
						taken[n] = true
					}
					return more
				}
				for len(taken) < 16 { // the tasks of 200 games have 3
					next()
				}
				if answer != "" && next() {
					t.Error("it gets more games")
				}
				close(good.release)
				if !local {
					f.work("good", good)
				}
				if err := <-result; err != nil {
					t.Fatal(err)
				}
				s.check(t, 0, numbers(0, 200))
			})
		}
	}
}

// gated is a toy that does not begin before it is released.
type gated struct {
	toy
	release chan struct{}
}

func (p *gated) Play(
	ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), sink replay.Sink,
) (replay.Stats, error) {
	<-p.release
	return p.toy.Play(ctx, model, w, next, sink)
}

func (c *Coordinator) worker(name string) (s WorkerStatus) {
	for _, w := range c.Workers() {
		if w.Name == name {
			s = w
		}
	}
	return s
}

func (c *Coordinator) holding(name string) (games int) {
	c.members.at(name, func(w *member) { games = len(w.held) })
	return games
}

// A worker's games go to others when it is silent or waits for ten seconds. They count if they come late.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	for what, lose := range map[string]func(w *member){
		"silent": func(w *member) { w.Heard = w.Heard.Add(-statusTTL) },
		"waits":  func(w *member) { w.State, w.news = stateWaiting, w.news.Add(-2*statusTTL) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := newField(t, "bad")
			p := f.coordinator(nil)
			s := newSink()
			result := f.generate(p, 0, numbers(0, 20), s)
			j := p.job.Load()
			hostile(t, f, p, "bad", 8)
			eventually(t, "games", func() bool { return p.holding("bad") > 0 })
			if n := len(j.take(20, 1, time.Hour, nil, time.Now())); n != 4 {
				t.Errorf("%d games are free, want 4", n)
			}
			p.members.at("bad", lose)
			eventually(t, "all its games", func() bool { return len(j.take(20, 1, time.Hour, nil, time.Now())) == 16 })
			late := f.dial("bad", f.server.URL())
			for n := range uint64(20) {
				send(t, late, p, "bad", toyGame(0, n))
			}
			if err := <-result; err != nil {
				t.Fatal(err)
			}
			s.check(t, 0, numbers(0, 20))
		})
	}
}

// When the run has ended, its workers end, unless they are to wait.
func TestFinish(t *testing.T) {
	t.Parallel()
	f := newField(t, "a", "b")
	p := f.coordinator(nil)
	_, _, a := f.work("a", &toy{parallel: 2})
	f.wait = true
	_, _, b := f.work("b", &toy{parallel: 2})
	for model := range uint64(2) {
		s := newSink()
		if err := <-f.generate(p, model, numbers(0, 20), s); err != nil || s.of("a")+s.of("b") != 20 {
			t.Fatal(s.workers, err)
		}
		if model == 0 {
			p.Finish(t.Context())
			if err := <-a; !errors.Is(err, ErrEnded) {
				t.Errorf("the worker ends with %v", err)
			}
			p.Close()
			p = f.coordinator(nil) // the run continues
			m, err := p.conn.Request(entryRequest(EmbeddedRun, "order"), nil, time.Minute)
			if err != nil || strings.Contains(string(m.Data), `"ended":true`) {
				t.Errorf("before it plays, the order is %v, %v", m, err)
			}
		}
	}
	if len(b) > 0 {
		t.Error("the other worker does not wait")
	}
}

// Tasks that the server has no memory for are reported, and the games remain to be played.
func TestRefusedTasks(t *testing.T) {
	t.Parallel()
	f := newField(t, "a")
	p := f.coordinator(nil)
	conn := f.dial("a", f.server.URL())
	s := newSink()
	result := f.generate(p, 0, numbers(0, 100), s)
	limit := func(bytes int64, discard jetstream.DiscardPolicy) {
		p.reconciling.Lock()
		defer p.reconciling.Unlock()
		cfg := must(p.js.Stream(t.Context(), tasksStream(EmbeddedRun))).CachedInfo().Config
		cfg.MaxBytes, cfg.Discard = bytes, discard
		must(p.js.UpdateStream(t.Context(), cfg))
	}
	limit(1, jetstream.DiscardNew)
	eventually(t, "a warning", func() bool {
		beat(conn, "a", 8)
		return f.reported("workers get no tasks: nats: ")
	})
	limit(-1, jetstream.DiscardOld)
	conn.Close()
	f.work("a", &toy{parallel: 4})
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	s.check(t, 0, numbers(0, 100))
}
