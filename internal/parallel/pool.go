package parallel

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Pool is a number of cores that compute in phases. Starting goroutines for each of many short phases would take longer
// than the phases. A pool's goroutines therefore stay: after a phase they look out for the next without sleeping, for
// some microseconds, and only then sleep. A Pool is not safe for concurrent use.
type Pool struct {
	cores   int
	times   []Phase
	phase   func(core int)
	number  atomic.Uint32 // of the phase
	busy    atomic.Int32  // helpers that have not finished the phase
	asleep  []bell        // by helper
	waiting bell          // the caller's
	helpers sync.WaitGroup
}

// looks is how often a goroutine looks for news before it sleeps: 10 to 50 microseconds. It does not read the clock,
// which takes longer than a look.
const looks = 1 << 14

// NewPool returns a pool of at least one core, of which one is its caller's. The caller must close it.
func NewPool(cores int) *Pool {
	p := &Pool{cores: cores, asleep: make([]bell, cores-1), waiting: newBell()}
	for i := range p.asleep {
		p.asleep[i] = newBell()
		p.helpers.Go(func() { p.help(i + 1) })
	}
	return p
}

// Cores returns the number of cores.
func (p *Pool) Cores() int { return p.cores }

// Phase is the time that a pool has spent in all phases of a name.
type Phase struct {
	Name string
	Time time.Duration
}

// Phases returns the times so far, in the order in which the phases came first.
func (p *Pool) Phases() []Phase { return slices.Clone(p.times) }

// Run calls f once on each core, with the core's number from 0 on, and waits until all calls have returned.
func (p *Pool) Run(phase string, f func(core int)) {
	begin := time.Now()
	if p.cores == 1 {
		f(0)
	} else {
		p.begin(f)
		f(0)
		p.waiting.wait(func() bool { return p.busy.Load() == 0 })
	}
	i := slices.IndexFunc(p.times, func(t Phase) bool { return t.Name == phase })
	if i < 0 {
		i, p.times = len(p.times), append(p.times, Phase{Name: phase})
	}
	p.times[i].Time += time.Since(begin)
}

// Each calls f for each i from 0 to n-1, in this order, each on the next core that is free. It waits until all calls have
// returned.
func (p *Pool) Each(phase string, n int, f func(i, core int)) {
	var next atomic.Int64
	p.Run(phase, func(core int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(i, core)
		}
	})
}

// Close ends the pool's goroutines.
func (p *Pool) Close() {
	p.begin(nil)
	p.helpers.Wait()
}

func (p *Pool) begin(f func(core int)) {
	p.phase = f
	p.busy.Store(int32(len(p.asleep)))
	p.number.Add(1)
	for i := range p.asleep {
		p.asleep[i].ring()
	}
}

func (p *Pool) help(core int) {
	for next := uint32(1); ; next++ {
		p.asleep[core-1].wait(func() bool { return p.number.Load() == next })
		if p.phase == nil {
			return
		}
		p.phase(core)
		if p.busy.Add(-1) == 0 {
			p.waiting.ring()
		}
	}
}

// bell wakes one goroutine.
type bell struct {
	sleeps *atomic.Bool
	rung   chan struct{}
}

func newBell() bell { return bell{new(atomic.Bool), make(chan struct{}, 1)} }

// wait returns once happened returns true. Whoever makes it true must call ring afterwards.
func (b bell) wait(happened func() bool) {
	for !happened() {
		for range looks {
			if happened() {
				return
			}
		}
		b.sleeps.Store(true)
		if !happened() || !b.sleeps.CompareAndSwap(true, false) {
			<-b.rung // perhaps for an earlier phase
		}
	}
}

func (b bell) ring() {
	if b.sleeps.CompareAndSwap(true, false) {
		b.rung <- struct{}{}
	}
}
