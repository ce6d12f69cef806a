package parallel

import (
	"sync"
	"sync/atomic"
)

// Pool runs phases of tasks on a number of cores. Starting goroutines for each of many short phases would take longer
// than the phases. A pool's goroutines therefore stay: after a phase they look out for the next without sleeping, for
// some microseconds, and only then sleep. A Pool is not safe for concurrent use.
type Pool struct {
	cores   int
	phase   atomic.Pointer[phase]
	asleep  []signal // by helper
	waiting signal   // the caller's
	helpers sync.WaitGroup
}

// phase is n tasks. The caller waits for tasks, not for goroutines: one that the operating system schedules late finds
// no task left, and holds up no other.
type phase struct {
	n          int64
	task       func(i, core int)
	next, done atomic.Int64
}

// NewPool returns a pool of at least one core, of which one is its caller's. The caller must close it.
func NewPool(cores int) *Pool {
	p := &Pool{cores: cores, asleep: make([]signal, cores-1), waiting: newSignal()}
	for i := range p.asleep {
		p.asleep[i] = newSignal()
		p.helpers.Go(func() { p.help(i + 1) })
	}
	return p
}

// Cores returns the number of cores.
func (p *Pool) Cores() int { return p.cores }

// Each calls task for each i from 0 to n-1, in this order, each on the next core that is free, whose number is core. It
// waits until all calls have returned.
func (p *Pool) Each(n int, task func(i, core int)) {
	if p.cores == 1 || n == 1 {
		for i := range n {
			task(i, 0)
		}
	} else if n > 1 {
		ph := p.begin(n, task)
		p.work(ph, 0)
		p.waiting.wait(func() bool { return ph.done.Load() == ph.n })
	}
}

// Close ends the pool's goroutines.
func (p *Pool) Close() {
	p.begin(0, nil)
	p.helpers.Wait()
}

func (p *Pool) begin(n int, task func(i, core int)) *phase {
	ph := &phase{n: int64(n), task: task}
	p.phase.Store(ph)
	for i := range p.asleep {
		p.asleep[i].notify()
	}
	return ph
}

func (p *Pool) work(ph *phase, core int) {
	for i := ph.next.Add(1) - 1; i < ph.n; i = ph.next.Add(1) - 1 {
		ph.task(int(i), core)
		if ph.done.Add(1) == ph.n {
			p.waiting.notify()
		}
	}
}

func (p *Pool) help(core int) {
	for last := (*phase)(nil); ; {
		p.asleep[core-1].wait(func() bool { return p.phase.Load() != last })
		last = p.phase.Load()
		if last.task == nil {
			return
		}
		p.work(last, core)
	}
}

// looks is how often a goroutine looks for news before it sleeps: 10 to 50 microseconds. It does not read the clock,
// which takes longer than a look.
const looks = 1 << 14

// signal wakes one goroutine.
type signal struct {
	sleeps *atomic.Bool
	woken  chan struct{}
}

func newSignal() signal { return signal{new(atomic.Bool), make(chan struct{}, 1)} }

// wait blocks until the condition happened holds. The goroutine that makes it hold must then call notify.
func (s signal) wait(happened func() bool) {
	for !happened() {
		for range looks {
			if happened() {
				return
			}
		}
		s.sleeps.Store(true)
		if !happened() || !s.sleeps.CompareAndSwap(true, false) {
			<-s.woken // perhaps for an earlier phase
		}
	}
}

func (s signal) notify() {
	if s.sleeps.CompareAndSwap(true, false) {
		s.woken <- struct{}{}
	}
}
