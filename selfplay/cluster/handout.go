package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// usualPatience is the patience of a player that has not returned a game.
	usualPatience = 10 * time.Second
	// maxUnacknowledged limits the tasks under way to a worker, which acknowledges each when it has got it.
	maxUnacknowledged = 64
	// maxWaiting limits a worker's requests that wait for tasks. Honest workers have one, or two after a lost connection.
	// It is large because others repeat a refused request at once, while one that waits costs nothing.
	maxWaiting = 1000
)

// holder keeps track of the games that a player was given and has not returned. A game leaves it when it comes, or when
// it is taken back.
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

// receive records the return of a game, if the player held it.
func (h *holder) receive(number uint64, now time.Time) {
	if at, held := h.held[number]; held {
		delete(h.held, number)
		h.longest = max(now.Sub(at), h.longest-h.longest/100)
		h.news = now
	}
}

// patience is how long others may hold a game before the player, which has nothing else to do, plays it too: about as
// long as the player takes for it.
func (h *holder) patience() time.Duration { return cmp.Or(h.longest, usualPatience) }

// room returns how many games of a model a worker may get now. It holds at most twice what it plays at once.
func (w *member) room(model uint64) int {
	atOnce := min(w.AtOnce, maxAtOnce)
	room := 2*atOnce - len(w.held)
	if w.Model != model || atOnce <= 0 || !w.consumer || room < atOnce/2 { // few messages with many games, rather than many with few
		return 0
	}
	return room
}

// handOut gives games to all workers that may have more. The caller holds reconciling.
func (c *Coordinator) handOut(ctx context.Context) (failed error) {
	if !c.ready {
		return nil
	}
	var names, added []string
	c.members.each(func(name string, w *member) {
		if w.active(time.Now()) {
			names = append(names, name)
			if !w.consumer {
				added = append(added, name)
			}
		}
	})
	for _, name := range added {
		failed = errors.Join(failed, c.openConsumer(ctx, name))
	}
	j := c.job.Load()
	if j == nil || j != c.published.job {
		return failed
	}
	players := len(names)
	if c.local != nil {
		players++
	}
	for _, name := range names {
		for _, t := range tasksOf(j.model, c.give(j, name, players), len(j.numbers)) {
			m := &nats.Msg{Subject: tasksSubject(c.cfg.Run, name), Data: encode(t)}
			if _, err := c.js.PublishMsgAsync(m); err != nil {
				c.refuse(c.js, m, err)
			}
		}
	}
	select {
	case <-c.js.PublishAsyncComplete():
	case <-ctx.Done():
	}
	return failed
}

// give returns the games that a worker gets.
func (c *Coordinator) give(j *job, name string, players int) (numbers []uint64) {
	now := time.Now()
	c.members.at(name, func(w *member) {
		numbers = j.take(w.room(j.model), players, w.patience(), w.held, now)
		w.hold(numbers, now)
	})
	return numbers
}

// refuse records that the server has not got a task.
func (c *Coordinator) refuse(_ jetstream.JetStream, task *nats.Msg, err error) {
	c.delays.tell(fmt.Errorf("workers get no tasks: %w", err))
	c.members.at(sender(task), func(w *member) { w.lost = true })
}

// openConsumer gives a worker a consumer for its tasks.
func (c *Coordinator) openConsumer(ctx context.Context, name string) error {
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
	c.members.at(name, func(w *member) {
		c.job.Load().giveBack(w.held)
		w.lost = false
	})
	return c.purge(ctx, tasksStream(c.cfg.Run), jetstream.WithPurgeSubject(tasksSubject(c.cfg.Run, name)))
}

// inspect takes the games back from workers that will not return them.
func (c *Coordinator) inspect(ctx context.Context, now time.Time) (failed error) {
	var lost []string
	c.members.each(func(name string, w *member) {
		idle := w.State == stateWaiting && now.Sub(w.news) > statusTTL
		if w.lost || len(w.held) > 0 && (idle || !w.active(now)) {
			lost = append(lost, name)
		}
	})
	for _, name := range lost {
		failed = errors.Join(failed, c.takeBack(ctx, name))
	}
	return failed
}
