package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/internal/printable"
	"tengen/replay"
	"tengen/selfplay"
)

const (
	maxArrived  = 1 << 10 // queued messages with games
	maxOfWorker = 16      // of these, from one worker
	maxTogether = 64      // of these, sharing one Flush
	// maxMalformed is the number of malformed messages that cost a worker its token.
	maxMalformed = 10
)

// wantsAnswer reports whether a message wants its answer in the sender's inbox. Elsewhere the answer could do harm, and
// the message may be an answer of the server that another worker has aimed here. From another account, a server gives
// answers a subject of its own, which leads back to that account alone.
func wantsAnswer(m *nats.Msg) bool {
	return strings.HasPrefix(m.Reply, inboxOf(sender(m))+".") || strings.HasPrefix(m.Reply, "_R_.")
}

// arrive queues a message with games, or drops it beyond the worker's share. Workers resend unanswered messages. When a
// run restarts with other settings, each sender's next message gets no answer, so that it waits until its worker has
// read the order.
func (c *Coordinator) arrive(m *nats.Msg) {
	settings, ok := settingsOf(m.Data)
	if !wantsAnswer(m) || ok && settings != c.digest {
		return
	}
	c.members.at(sender(m), func(w *member) {
		if w.queued >= maxOfWorker {
			return
		}
		select {
		case c.arrived <- m:
			w.queued++
		default:
		}
	})
}

func (c *Coordinator) receive(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-c.arrived:
			messages := []*nats.Msg{m}
			for range min(len(c.arrived), maxTogether-1) {
				messages = append(messages, <-c.arrived)
			}
			c.accept(ctx, messages)
			for _, m := range messages {
				c.members.at(sender(m), func(w *member) { w.queued-- })
			}
			c.hungry.notify()
		}
	}
}

// accept stores the games in messages, then answers the messages.
func (c *Coordinator) accept(ctx context.Context, messages []*nats.Msg) {
	j := c.job.Load()
	if j != nil {
		j.using.RLock()
		defer j.using.RUnlock()
		if j.sink == nil {
			j = nil
		}
	}
	refused := make([]string, len(messages)) // see examine
	var arrived []arrival
	for i, m := range messages {
		var games []arrival
		games, refused[i] = c.examine(j, sender(m), m.Data)
		arrived = append(arrived, games...)
	}
	if err := c.keep(ctx, j, arrived); err != nil {
		j.end(err)
		return
	}
	for i, m := range messages {
		m.Respond([]byte(refused[i]))
	}
}

// arrival is a claimed game from a worker.
type arrival struct {
	worker string
	game   *replay.Record
}

// keep returns when the sink has stored the games.
func (c *Coordinator) keep(ctx context.Context, j *job, games []arrival) error {
	if len(games) == 0 {
		return nil
	}
	var simulations int64
	for _, a := range games {
		if err := j.sink.Keep(a.worker, a.game); err != nil {
			return err
		}
		for _, n := range a.game.Simulations {
			simulations += int64(n)
		}
	}
	if err := j.sink.Flush(ctx); err != nil {
		return err
	}
	for _, a := range games {
		c.members.at(a.worker, func(w *member) { w.Games++; w.fresh++ })
		c.offer(j, a)
	}
	j.settle(len(games), simulations)
	return nil
}

// examine claims and returns the missing games in a message. refused says why the worker should stop, or is "".
func (c *Coordinator) examine(j *job, worker string, content []byte) (games []arrival, refused string) {
	if reason := c.members.banned(worker); reason != "" {
		return nil, reason
	}
	games, err := c.claimGames(j, worker, content)
	if err != nil {
		refused = err.Error()
		c.countMalformed(worker, err)
	}
	return games, refused
}

// claimGames claims and returns the job's missing games in a worker's message, none without a job. It stops at the
// first record that cannot belong to the run, with an error; the games before it stay claimed.
func (c *Coordinator) claimGames(j *job, worker string, content []byte) (games []arrival, err error) {
	if _, ok := settingsOf(content); !ok {
		return nil, errors.New("it does not begin with the digest of settings")
	}
	if j == nil {
		return nil, nil
	}
	var m message
	if err := json.Unmarshal(content, &m); err != nil {
		return nil, err
	}
	for _, record := range m.Games {
		g := &replay.Record{}
		if err := c.read(j, worker, record, g); err != nil {
			return games, err
		}
		if g.Model != j.model {
			continue
		}
		c.members.at(worker, func(w *member) { w.receive(g.Number, time.Now()) })
		if j.claim(g.Number) {
			games = append(games, arrival{worker, g})
		}
	}
	return games, nil
}

// read decodes a worker's record into g. It fails if the game cannot belong to the run.
func (c *Coordinator) read(j *job, worker string, record []byte, g *replay.Record) error {
	s := c.cfg.Settings
	if err := g.UnmarshalBinary(record); err != nil {
		return err
	}
	held := false
	c.members.at(worker, func(w *member) { _, held = w.held[g.Number] })
	switch {
	case g.Seed != s.Seed:
		return fmt.Errorf("game %d has the seed %d, but the run has %d", g.Number, g.Seed, s.Seed)
	case g.Model != j.model || !held && !j.wants(g.Number):
		return nil
	}
	return c.cfg.Check(g)
}

// countMalformed reports an invalid message and bans the worker after maxMalformed. Games of other versions do
// not count.
func (c *Coordinator) countMalformed(worker string, err error) {
	text := printable.Text(err.Error(), 300)
	c.malformed.tell(fmt.Errorf("worker %s: %s", worker, text))
	if errors.Is(err, replay.ErrVersion) {
		return
	}
	var count int
	c.members.at(worker, func(w *member) { w.malformed++; count = w.malformed })
	if count >= maxMalformed {
		c.ban(worker, Ban{Reason: fmt.Sprintf("it has sent messages that are not games of the run, last: %s", text)})
	}
}

// ban bans a worker. A ban for false games replaces another one: its games must be dropped all the same.
func (c *Coordinator) ban(worker string, why Ban) {
	known := false
	c.members.at(worker, func(w *member) {
		if known = w.falseGames || w.Banned != "" && !why.FalseGames; known {
			return
		}
		w.Banned, w.falseGames = why.Reason, why.FalseGames
		if why.FalseGames {
			c.members.newlyBanned = append(c.members.newlyBanned, worker)
		}
	})
	if known {
		return
	}
	failed := fmt.Errorf("worker %s has its account on another server: revoke it there", worker)
	if c.cfg.Server != nil {
		failed = RevokeWorker(c.cfg.Server.cfg.Dir, worker, why)
		if failed == nil {
			c.members.at(worker, func(w *member) { w.revoked = time.Now() })
		}
	}
	err := fmt.Errorf("worker %s may no longer play: %s", worker, why.Reason)
	if failed != nil {
		err = fmt.Errorf("%w; its token cannot be revoked: %w", err, failed)
	}
	c.cfg.Report(err)
}

// offer queues a game for verify with probability CoordinatorConfig.Verify.
func (c *Coordinator) offer(j *job, a arrival) {
	if c.cfg.Verifier != nil && rand.Float64() < c.cfg.Verify {
		j.checks <- a // never blocks: it has room for all games
	}
}

// verify replays queued games until the queue closes, and bans workers whose games differ.
func (c *Coordinator) verify(ctx context.Context, j *job) error {
	for a := range j.checks {
		games := []arrival{a}
		for range len(j.checks) {
			games = append(games, <-j.checks)
		}
		if err := c.playAgain(ctx, j, games); err != nil {
			return fmt.Errorf("cannot verify games: %w", err)
		}
	}
	return nil
}

func (c *Coordinator) playAgain(ctx context.Context, j *job, games []arrival) error {
	var numbers []uint64
	for _, a := range games {
		numbers = append(numbers, a.game.Number)
	}
	again, err := c.replay(ctx, j, numbers)
	if err != nil {
		return err
	}
	for _, a := range games {
		c.verified.Add(1)
		n := a.game.Number
		found := false
		c.members.at(a.worker, func(w *member) { found = w.falseGames })
		if found || equal(a.game, again[n]) {
			continue
		}
		// If this machine cannot reproduce its own game, the worker may be right.
		repeated, err := c.replay(ctx, j, []uint64{n})
		if err != nil {
			return err
		}
		if !equal(repeated[n], again[n]) {
			return fmt.Errorf("game %d differs from itself when this machine plays it twice (%s): its memory or processor, "+
				"or the program, is faulty", n, replay.Difference(repeated[n], again[n]))
		}
		c.ban(a.worker, Ban{FalseGames: true, Reason: fmt.Sprintf("its game %d of model %d differs when it is played again: %s",
			n, a.game.Model, replay.Difference(a.game, again[n]))})
	}
	return nil
}

func (c *Coordinator) replay(ctx context.Context, j *job, numbers []uint64) (map[uint64]*replay.Record, error) {
	var mu sync.Mutex
	games := map[uint64]*replay.Record{}
	_, err := c.cfg.Verifier.Play(ctx, j.model, j.weights, selfplay.Numbers(numbers), replay.SinkFunc(func(_ string, g *replay.Record) error {
		mu.Lock()
		defer mu.Unlock()
		games[g.Number] = g
		return nil
	}))
	if err == nil && len(games) != len(numbers) {
		err = fmt.Errorf("of %d games, only %d were played", len(numbers), len(games))
	}
	return games, err
}

func equal(g, other *replay.Record) bool {
	a, err := g.MarshalBinary()
	b, otherErr := other.MarshalBinary()
	return err == nil && otherErr == nil && bytes.Equal(a, b)
}
