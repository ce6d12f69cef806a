package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// WorkerStatus is what the games of a worker tell about it.
type WorkerStatus struct {
	Worker         string
	Games          int     // taken by this process
	GamesPerSecond float64 // in the last iteration
	ModelAge       uint64  // of its last game, in iterations
}

// crew keeps account of the workers whose games come in. It may be used by several goroutines at once.
type crew struct {
	mu      sync.Mutex
	members map[string]*crewMember
	since   time.Time // the rates of the iteration under way count from here
	refused int       // in the iteration under way
	reason  error     // why the last of them was
}

type crewMember struct {
	WorkerStatus
	fresh  int // games in the iteration under way
	silent int // iterations without a game
}

// silence is after how many iterations without a game a worker counts as gone.
const silence = 2

// begin starts the first iteration.
func (c *crew) begin(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		c.since, c.members = now, map[string]*crewMember{}
	}
}

// count notes a game that was taken, and the newest model then.
func (c *crew) count(worker string, model, newest uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.members[worker]
	if m == nil {
		m = &crewMember{WorkerStatus: WorkerStatus{Worker: worker}}
		c.members[worker] = m
	}
	m.Games++
	m.fresh++
	m.silent = 0
	m.ModelAge = newest - model
}

// refuse notes a game that was not taken.
func (c *crew) refuse(reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused, c.reason = c.refused+1, reason
}

// refusals sums up what was refused since the last call, nil for nothing.
func (c *crew) refusals() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.refused
	if c.refused = 0; n == 0 {
		return nil
	}
	return fmt.Errorf("games refused: %d; the last was %w", n, c.reason)
}

// end ends an iteration, from the end of the one before, and returns how long it was.
func (c *crew) end(now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	passed := now.Sub(c.since)
	c.since = now
	for name, m := range c.members {
		m.GamesPerSecond = float64(m.fresh) / max(passed.Seconds(), 1e-9)
		if m.fresh == 0 {
			m.silent++
		}
		if m.fresh = 0; m.silent >= silence {
			delete(c.members, name)
		}
	}
	return passed
}

func (c *crew) status() []WorkerStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []WorkerStatus
	for _, m := range c.members {
		all = append(all, m.WorkerStatus)
	}
	slices.SortFunc(all, func(a, b WorkerStatus) int { return cmp.Compare(a.Worker, b.Worker) })
	return all
}
