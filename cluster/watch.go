package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// patience is for how long a Coordinator waits for games in silence.
type patience struct {
	tick  time.Duration // between two looks
	alone time.Duration // without any worker, until it says so
	stuck time.Duration // with games that do not come into the log, until it gives up
	vain  time.Duration // for the games of a worker, until it is doubted; more than a game may take
}

var usualPatience = patience{tick: time.Second, alone: 30 * time.Second, stuck: 3 * time.Minute, vain: time.Hour}

// errRoomAgain is reported when there is room for games again.
var errRoomAgain = errors.New("there is room for games again: going on")

// watch looks after the waiting for games until ctx ends. It says when no worker is there, and whose games never come. Where the
// workers have games and the log takes none, or nobody may play for want of room, it returns an error with the way out: it would be
// a wait for ever.
func (c *Coordinator) watch(ctx context.Context) error {
	ticker := time.NewTicker(c.patience.tick)
	defer ticker.Stop()
	before, moving, accompanied := time.Now(), time.Now(), time.Now()
	told := false
	for {
		var now time.Time
		select {
		case <-ctx.Done():
			return nil
		case now = <-ticker.C:
		}
		c.dealer.checkRoom()
		f := c.dealer.fleet(now, now.Sub(before))
		before = now
		came := c.came.Swap(false)
		if came || f.unsent == 0 && f.noRoom == nil {
			moving = now
		}
		if came || f.workers > 0 {
			accompanied = now
		}
		if !told && now.Sub(accompanied) > c.patience.alone {
			c.cfg.Report(fmt.Errorf("no worker has asked for games for %v: waiting for one to join, see `tengen worker --help`", c.patience.alone))
			told = true
		}
		if now.Sub(moving) > c.patience.stuck {
			if err := c.stuck(ctx, f); err != nil {
				return fmt.Errorf("no game has come for %v: %w", c.patience.stuck, err)
			}
			c.doubt(func(h *holder) bool { return h.Unsent > 0 })
			moving = time.Now()
		}
		c.doubt(func(h *holder) bool { return h.seen.vain > c.patience.vain })
	}
}

// doubt is that of the dealer, who is told of.
func (c *Coordinator) doubt(whom func(*holder) bool) {
	for _, said := range c.dealer.doubt(whom) {
		c.cfg.Report(said)
	}
}

// testWrite bounds the time for a write that finds out whether the server can store anything.
const testWrite = 10 * time.Second

// stuck finds out why no games come: an error that waiting does not mend, or nil if it can only be the workers. These are not believed:
// the log is asked to take a game.
func (c *Coordinator) stuck(ctx context.Context, f fleet) error {
	const again = "; then start the run again, it goes on from its last checkpoint, and no finished game is lost"
	if f.noRoom != nil {
		return fmt.Errorf("%w%s", f.noRoom, again)
	}
	waiting := fmt.Sprintf("%d finished games wait at the workers", f.unsent)
	if f.trouble != "" {
		waiting += fmt.Sprintf(" (%.300q)", f.trouble)
	}
	ctx, cancel := context.WithTimeout(ctx, testWrite)
	defer cancel()
	if err := c.bucket.Put(ctx, orderKey, c.ordered); err != nil {
		return fmt.Errorf("%s, but the server cannot store anything (%w): make room on its disk%s", waiting, err, again)
	}
	e := c.newest.Load()
	if e == nil {
		return nil // of a new run, whose log has nothing that could be sent again
	}
	if err := c.log.AppendAgain(ctx, e.Worker, e.Game); err != nil {
		return fmt.Errorf("%s, but the log takes none (%w): its server may remember until it is started anew that a file could not be written: "+
			"make room on its disk%s", waiting, err, again)
	}
	return nil
}
