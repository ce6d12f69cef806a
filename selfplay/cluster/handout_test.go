package cluster

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

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
	clear(a.held)
	take(&a, 100, 1, 0, 2, 3, 4, 5, 6, 8, 9)
}

// Only games shrink what a worker holds. It holds no more than twice what it plays at once, whatever it says.
func TestRoom(t *testing.T) {
	now := time.Now()
	w := &member{holder: newHolder(), consumer: true}
	room := func(atOnce, want int) {
		t.Helper()
		w.AtOnce = atOnce
		if got := w.room(0, 2, now); got != want {
			t.Errorf("plays %d at once, holds %d: room for %d, want %d", atOnce, len(w.held), got, want)
		}
	}
	room(0, 0)
	room(-1<<62, 0)
	room(1<<62, 2*maxAtOnce)
	w.hold(numbers(0, 7), now)
	room(4, 0) // less than a task
	w.receive(100, now)
	room(4, 0)
	w.receive(3, now)
	room(4, 2)
	w.Model = 1 // it has another model
	room(4, 0)
}

// A worker is overdue a minute after it last returned a game, but not before others would have played three.
func TestOverdue(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		others, silent time.Duration
		want           bool
	}{
		{time.Second, 59 * time.Second, false}, {time.Second, 61 * time.Second, true}, {time.Hour, 179 * time.Minute, false},
		{time.Hour, 181 * time.Minute, true}, {0, 99 * time.Hour, false},
	} {
		h := newHolder()
		h.hold([]uint64{1, 2}, now)
		now := now.Add(time.Hour)
		h.receive(1, now)
		h.hold([]uint64{3}, now.Add(c.silent-1))
		if got := h.overdue(c.others, now.Add(c.silent)); got != c.want {
			t.Errorf("%v without a game, others take %v: overdue %v", c.silent, c.others, got)
		}
	}
}

// hostile is a client with a worker's token that says that it plays a job's games.
func hostile(t *testing.T, f *field, p *Coordinator, name string, atOnce int) *nats.Conn {
	t.Helper()
	conn := f.dial(name, f.server.URL())
	r := report{status: status{State: statePlaying, Model: p.job.Load().model, AtOnce: atOnce}}
	eventually(t, "a consumer", func() bool {
		conn.PublishRequest(statusSubject(EmbeddedRun, name), conn.NewInbox(), encode(r))
		has := false
		p.members.at(name, func(w *member) { has = w.consumer })
		return has
	})
	return conn
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
				taken := map[uint64]bool{}
				for len(taken) < 16 { // the tasks of 200 games have 3
					m := pulled(t, conn, EmbeddedRun, "bad")
					if task, err := readTask(m.Data); err == nil && m.Header.Get("Status") == "" {
						for n := task.First; n < task.End; n++ {
							taken[n] = true
						}
					}
					m.Respond([]byte(answer))
				}
				if answer != "" {
					m := pulled(t, conn, EmbeddedRun, "bad")
					if task, err := readTask(m.Data); err == nil && !taken[task.First] && m.Header.Get("Status") == "" {
						t.Errorf("it gets %+v too", task)
					}
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
	ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	<-p.release
	return p.toy.Play(ctx, model, w, next, finished)
}
