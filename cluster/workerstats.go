package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"tengen/cluster/access"
	"tengen/train"
)

// WorkerStatus is what the games of a worker tell about it.
type WorkerStatus struct {
	Worker         string
	Games          int     // taken by this process
	GamesPerSecond float64 // in the last iteration
	ModelAge       uint64  // of its last game, in iterations
	Caught         bool    // it is kept out for what it has sent
}

// workerStats counts the games that come in by worker. It may be used by several goroutines at once.
type workerStats struct {
	mu       sync.Mutex
	workers  map[string]*workerStat
	since    time.Time // the rates of the iteration under way count from here
	refused  int       // in the iteration under way
	total    uint64    // games that were refused by this process
	reason   error     // why the last of them was
	caught   map[string]bool
	verified train.Verified
}

type workerStat struct {
	WorkerStatus
	fresh int // games in the iteration under way
	idle  int // iterations without a game
}

// goneAfter is the number of iterations without a game after which a worker counts as gone.
const goneAfter = 2

// begin starts the first iteration.
func (s *workerStats) begin(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		s.since, s.workers = now, map[string]*workerStat{}
	}
}

// count notes a game of a model that was taken when another was the newest.
func (s *workerStats) count(worker string, model, newest uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.workers[worker]
	if m == nil {
		m = &workerStat{WorkerStatus: WorkerStatus{Worker: worker}}
		s.workers[worker] = m
	}
	m.Games++
	m.fresh++
	m.idle = 0
	m.ModelAge = newest - model
}

// refuse notes a game that was not taken.
func (s *workerStats) refuse(reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused, s.total, s.reason = s.refused+1, s.total+1, reason
}

// startOver forgets the iteration under way, whose games are about to be read again.
func (s *workerStats) startOver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total -= uint64(s.refused)
	s.refused = 0
	for _, m := range s.workers {
		m.Games -= m.fresh
		m.fresh = 0
	}
}

// catch notes who was caught.
func (s *workerStats) catch(all []access.Caught) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.caught = map[string]bool{}
	for _, c := range all {
		s.caught[c.Worker] = true
	}
}

func (s *workerStats) isCaught(worker string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.caught[worker]
}

// verify counts the games of an iteration that were played again.
func (s *workerStats) verify(v train.Verified) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verified.Games += v.Games
	s.verified.Skipped += v.Skipped
	s.verified.Time += v.Time
}

func (s *workerStats) verifiedSoFar() train.Verified {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.verified
}

// refusedSoFar is the number of games that were refused by this process.
func (s *workerStats) refusedSoFar() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// refusals sums up what was refused since the last call, nil for nothing.
func (s *workerStats) refusals() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.refused
	if s.refused = 0; n == 0 {
		return nil
	}
	return fmt.Errorf("games refused: %d; the last was %w", n, s.reason)
}

// end ends an iteration, from the end of the one before, and returns how long it was.
func (s *workerStats) end(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	passed := now.Sub(s.since)
	s.since = now
	for name, m := range s.workers {
		m.GamesPerSecond = float64(m.fresh) / max(passed.Seconds(), 1e-9)
		if m.fresh == 0 {
			m.idle++
		}
		if m.fresh = 0; m.idle >= goneAfter {
			delete(s.workers, name)
		}
	}
	return passed
}

func (s *workerStats) status() []WorkerStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []WorkerStatus
	for name, m := range s.workers {
		if !s.caught[name] {
			all = append(all, m.WorkerStatus)
		}
	}
	for name := range s.caught {
		all = append(all, WorkerStatus{Worker: name, Caught: true})
	}
	slices.SortFunc(all, func(a, b WorkerStatus) int { return cmp.Compare(a.Worker, b.Worker) })
	return all
}
