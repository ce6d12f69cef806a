package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// silence is how long a worker that holds games may return none, if no game of others took a third of that.
	silence = time.Minute
	// trialEvery is the time between the games for a worker that returns none.
	trialEvery = time.Minute
	// usualPatience is the patience of a player that has not returned a game.
	usualPatience = 10 * time.Second
	// maxUnacknowledged limits the tasks under way to a worker, which acknowledges each when it has got it.
	maxUnacknowledged = 64
	// maxWaiting limits a worker's requests that wait for tasks. Honest workers have one, or two after a lost connection.
	// It is large because others repeat a refused request at once, while one that waits costs nothing.
	maxWaiting = 1000
)

// holder keeps track of the games that a player was given and has not returned. Only games shrink it, or that they are
// taken back.
type holder struct {
	held    map[uint64]time.Time // when they were given
	longest time.Duration        // from giving a game to its return; each game lowers it by a hundredth
	news    time.Time            // when the player last returned a game, or got one while it held none
}

func newHolder() holder { return holder{held: map[uint64]time.Time{}} }

func (h *holder) hold(numbers []uint64, now time.Time) {
	if len(h.held) == 0 {
		h.news = now
	}
	for _, n := range numbers {
		h.held[n] = now
	}
}

// receive records the return of a game. It reports whether the player held it.
func (h *holder) receive(number uint64, now time.Time) bool {
	at, held := h.held[number]
	if held {
		delete(h.held, number)
		h.longest = max(now.Sub(at), h.longest-h.longest/100)
		h.news = now
	}
	return held
}

// patience is how long others may hold a game before the player, which has nothing else to do, plays it too: about as
// long as the player takes for it.
func (h *holder) patience() time.Duration {
	if h.longest == 0 {
		return usualPatience
	}
	return h.longest
}

// overdue reports whether the player has held games for too long without returning one. others is the longest that a
// game of other players took. If there was none, nothing is too long.
func (h *holder) overdue(others time.Duration, now time.Time) bool {
	return len(h.held) > 0 && others > 0 && now.Sub(h.news) > max(silence, 3*others)
}

// room returns how many games of a model a worker may get now. It holds at most twice what it plays at once.
func (w *member) room(model uint64, now time.Time) int {
	atOnce := min(w.AtOnce, maxAtOnce)
	room := 2*atOnce - len(w.held)
	switch {
	case w.Model != model || atOnce <= 0 || !w.consumer:
		return 0
	case !w.stalled.IsZero() && now.Sub(w.trial) < trialEvery:
		return 0
	case !w.stalled.IsZero():
		return 1
	case room < atOnce/2: // few messages with many games, rather than many with few
		return 0
	}
	return room
}

// handOut gives games to all workers that may have more. The caller holds reconciling.
func (c *Coordinator) handOut(ctx context.Context) error {
	if !c.ready {
		return nil
	}
	names := c.members.active(time.Now())
	var failed error
	for _, name := range names {
		failed = errors.Join(failed, c.openConsumer(ctx, name))
	}
	j := c.job.Load()
	if j == nil || j != c.publishedJob {
		return failed
	}
	players := len(names)
	if c.local != nil {
		players++
	}
	published := map[string][]jetstream.PubAckFuture{}
	for _, name := range names {
		for _, t := range tasksOf(j.model, c.give(j, name, max(players, 1)), len(j.numbers)) {
			f, err := c.js.PublishAsync(tasksSubject(c.cfg.Run, name), encode(t))
			if err != nil {
				return errors.Join(failed, err, c.takeBack(ctx, name))
			}
			published[name] = append(published[name], f)
		}
	}
	return errors.Join(failed, c.confirm(ctx, published))
}

// give returns the games that a worker gets.
func (c *Coordinator) give(j *job, name string, players int) (numbers []uint64) {
	now := time.Now()
	c.members.at(name, func(w *member) {
		room := w.room(j.model, now)
		if room == 0 {
			return
		}
		numbers = j.take(room, players, w.patience(), w.held, now)
		if !w.stalled.IsZero() { // a trial: others may take the game too
			clear(w.held)
			w.hold(numbers, now)
			j.giveBack(w.held)
			w.trial = now
			return
		}
		w.hold(numbers, now)
	})
	return numbers
}

// confirm waits until the server has the tasks of workers. It takes back the games of a worker if the server refuses one.
func (c *Coordinator) confirm(ctx context.Context, published map[string][]jetstream.PubAckFuture) (failed error) {
	call, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	for name, tasks := range published {
		for _, f := range tasks {
			var err error
			select {
			case <-f.Ok():
				continue
			case err = <-f.Err():
			case <-call.Done():
				err = call.Err()
			}
			failed = errors.Join(err, c.takeBack(ctx, name))
			break
		}
	}
	return failed
}

// openConsumer gives a worker a consumer for its tasks, unless it has one.
func (c *Coordinator) openConsumer(ctx context.Context, name string) error {
	has := false
	c.members.at(name, func(w *member) { has = w.consumer })
	if has {
		return nil
	}
	_, err := c.js.CreateOrUpdateConsumer(ctx, tasksStream(c.cfg.Run), jetstream.ConsumerConfig{
		Durable: name, FilterSubject: tasksSubject(c.cfg.Run, name), AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait,
		MaxDeliver: -1, MaxAckPending: maxUnacknowledged, MaxWaiting: maxWaiting, MaxRequestBatch: 1, MaxRequestExpires: pullWait,
	})
	if err != nil {
		return fmt.Errorf("worker %s: %w", name, err)
	}
	c.members.at(name, func(w *member) { w.consumer = true })
	return nil
}

// takeBack lets others play a worker's games, and removes the tasks that the worker has not fetched. Its games still
// count if it returns them first.
func (c *Coordinator) takeBack(ctx context.Context, name string) error {
	j, had := c.job.Load(), false
	c.members.at(name, func(w *member) {
		if j != nil {
			j.giveBack(w.held)
		}
		clear(w.held)
		had, w.consumer = w.consumer, false
	})
	if !had {
		return nil
	}
	stream, err := c.js.Stream(ctx, tasksStream(c.cfg.Run))
	if err != nil {
		return err
	}
	err = stream.DeleteConsumer(ctx, name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		err = nil
	}
	return errors.Join(err, stream.Purge(ctx, jetstream.WithPurgeSubject(tasksSubject(c.cfg.Run, name))))
}

// inspect takes the games back from workers that will not return them, and names those that play but return none.
// Those of parted have closed a connection.
func (c *Coordinator) inspect(ctx context.Context, parted []string, now time.Time) (failed error) {
	here := time.Duration(0)
	if c.local != nil {
		here = c.local.slowest()
	}
	for _, name := range append(parted, c.members.lost(now)...) {
		failed = errors.Join(failed, c.takeBack(ctx, name))
	}
	for name, others := range c.members.stall(here, now) {
		c.cfg.Report(fmt.Errorf("worker %s takes games and returns none, while others took at most %v for one: its games go to others, "+
			"and until it returns one, it gets one a minute", name, others.Round(time.Second)))
		failed = errors.Join(failed, c.takeBack(ctx, name))
	}
	return errors.Join(failed, c.markStalled())
}

// markStalled writes the stalled workers to WorkersFile when they have changed.
func (c *Coordinator) markStalled() error {
	stalled := c.members.stalled()
	if c.cfg.Server == nil || maps.Equal(stalled, c.marked) {
		return nil
	}
	err := markStalled(c.cfg.Server.cfg.Dir, stalled)
	if err == nil {
		c.marked = stalled
	}
	return err
}

// active returns the sorted names of the workers that may have games.
func (m *members) active(now time.Time) (names []string) {
	m.each(func(name string, w *member) {
		if w.active(now) {
			names = append(names, name)
		}
	})
	slices.Sort(names)
	return names
}

func (m *members) holds(name string, number uint64) (held bool) {
	m.at(name, func(w *member) { _, held = w.held[number] })
	return held
}

// lost returns the workers that have games or a consumer but are gone or banned, and those that wait though they were given
// games.
func (m *members) lost(now time.Time) (names []string) {
	m.each(func(name string, w *member) {
		idle := w.State == stateWaiting && len(w.held) > 0 && now.Sub(w.news) > statusTTL
		if !w.active(now) && w.consumer || idle {
			names = append(names, name)
		}
	})
	return names
}

// stall marks the workers that have become overdue as stalled. It returns the longest that a game of others took, for each.
// here is the longest of this process.
func (m *members) stall(here time.Duration, now time.Time) map[string]time.Duration {
	found := map[string]time.Duration{}
	m.each(func(name string, w *member) {
		others := here
		for other, o := range m.all {
			if other != name {
				others = max(others, o.longest)
			}
		}
		if w.stalled.IsZero() && w.overdue(others, now) {
			w.stalled, w.trial = now, now
			found[name] = others
		}
	})
	return found
}

// stalled returns since when workers are stalled.
func (m *members) stalled() map[string]time.Time {
	found := map[string]time.Time{}
	m.each(func(name string, w *member) {
		if !w.stalled.IsZero() && w.Banned == "" {
			found[name] = w.stalled
		}
	})
	return found
}
