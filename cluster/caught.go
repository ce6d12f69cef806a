package cluster

import (
	"errors"
	"fmt"
	"slices"

	"tengen/cluster/access"
	"tengen/replay"
)

// This file keeps workers out for what they have sent: a false game, or too many messages that are no games. Their names stand in a
// file, which the gate of the run's own server reads as well.

// mostGarbage is how many messages that are no games of the run a worker may send before it is caught.
const mostGarbage = 100

// allow refuses a game of a worker that sent a false one before it.
func (v *verifier) allow(e replay.Entry) error {
	for _, c := range v.caught {
		if c.Worker == e.Worker && c.Garbage == 0 && e.Sequence > c.Since {
			return fmt.Errorf("its worker is caught: of its game %d %s", c.Game, c.Difference)
		}
	}
	return nil
}

// catch notes that a worker has sent a false game.
func (v *verifier) catch(since uint64, e replay.Entry, again *replay.Record) error {
	c := access.Caught{
		Worker: e.Worker, Since: since, Sequence: e.Sequence, Game: e.Game.Number, Model: e.Game.Model,
		Difference: replay.Difference(e.Game, again),
	}
	return v.keepOut(c, fmt.Errorf("its game %d, sequence number %d, model %d, is not what it must be: %s; none of its games are used from here on",
		c.Game, c.Sequence, c.Model, c.Difference))
}

// countGarbage counts an entry, which is no game of the run because of why, if it is a message of a worker elsewhere, and reports
// whether the worker is caught by it. Where why is nil it does nothing.
// Its games count all the same, those that are there: how many messages were counted depends on when the trainer was started, and
// which games a run learns from must not. What is read again, or was there before, is not counted, so that a pardon holds.
func (v *verifier) countGarbage(e replay.Entry, why error) (caught bool, err error) {
	if e.Sequence <= v.counted {
		return false, nil
	}
	v.counted = e.Sequence
	if why == nil || e.Worker == "" || v.trusted[e.Worker] || access.IsLocal(e.Worker) {
		return false, nil
	}
	v.garbage[e.Worker]++
	n := v.garbage[e.Worker]
	if n <= mostGarbage || slices.ContainsFunc(v.caught, func(c access.Caught) bool { return c.Worker == e.Worker }) {
		return false, nil
	}
	c := access.Caught{Worker: e.Worker, Since: e.Sequence, Sequence: e.Sequence, Garbage: n, Difference: why.Error()}
	return true, v.keepOut(c, fmt.Errorf("it has sent %d messages that are no games; the last is %w", n, why))
}

// keepOut notes for good that a worker is caught, and says why, what comes of it, and how to pardon the worker.
func (v *verifier) keepOut(c access.Caught, why error) error {
	v.caught = append(v.caught, c)
	if err := v.cfg.Caught.Write(v.caught); err != nil {
		return errors.Join(fmt.Errorf("cannot note that worker %s is caught", c.Worker), err)
	}
	then := "its connection is cut, and it cannot come back"
	if !v.cfg.Gated {
		then = "revoke it on the server, whose files say who may play (docs/nats/workers.conf)"
	}
	pardon := ""
	if v.cfg.Caught != "" {
		pardon = fmt.Sprintf("; to pardon it, stop the run, take its line out of %s, and start the run again", v.cfg.Caught)
	}
	v.report(fmt.Errorf("worker %s is caught: %w; %s%s", c.Worker, why, then, pardon))
	return nil
}
