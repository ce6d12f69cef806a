package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tengen/net"
	"tengen/replay"
)

// job keeps track of the games of one call to Coordinator.Play. It is safe for concurrent use.
type job struct {
	model   uint64
	info    modelInfo
	file    []byte // of the model
	weights *net.Weights
	numbers []uint64 // sorted
	started time.Time
	ctx     context.Context // cancelled by end, with errDone or an error
	end     context.CancelCauseFunc
	checks  chan arrival // to replay

	using sync.RWMutex // read-locked while games go to the sink
	sink  replay.Sink  // nil after Play

	mu          sync.Mutex
	missing     map[uint64]bool // neither kept nor claimed
	free        []uint64        // sorted; the missing ones of them may be taken by anybody
	given       []givenGame     // taken and not given back, the oldest first; takeOverdue drops claimed games
	kept        int
	settled     time.Time // when a game was last kept, or when the job began
	simulations int64     // of workers' games
}

type givenGame struct {
	number uint64
	at     time.Time // when it was last given
}

var errDone = errors.New("all games are kept")

func newJob(ctx context.Context, model uint64, w *net.Weights, numbers []uint64, sink replay.Sink) *job {
	j := &job{
		model: model, weights: w, sink: sink, numbers: slices.Compact(slices.Sorted(slices.Values(numbers))), started: time.Now(),
		missing: map[uint64]bool{}, settled: time.Now(),
	}
	j.free = slices.Clone(j.numbers)
	j.ctx, j.end = context.WithCancelCause(ctx)
	j.checks = make(chan arrival, len(j.numbers))
	for _, n := range j.numbers {
		j.missing[n] = true
	}
	return j
}

// claim reports whether a game is still missing. The caller must keep a claimed game, then call settle.
func (j *job) claim(number uint64) (first bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	first = j.missing[number]
	delete(j.missing, number)
	return first
}

func (j *job) wants(number uint64) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.missing[number]
}

// settle records that claimed games are kept. The last ends the job.
func (j *job) settle(games int, simulations int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.simulations += simulations
	j.settled = time.Now()
	if j.kept += games; j.kept == len(j.numbers) {
		j.end(errDone)
	}
}

// take returns at most most games for a player, one of several, who holds the games in held. They are its share of the
// games that nobody holds. If there are none, they are its share of the games that others have held for longer than
// patience, the oldest first.
func (j *job) take(most, players int, patience time.Duration, held map[uint64]time.Time, now time.Time) (numbers []uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	pool := len(j.free)
	if pool == 0 {
		pool = len(j.missing)
	}
	most = min(most, (pool+players-1)/players)
	for len(j.free) > 0 && len(numbers) < most {
		n := j.free[0]
		if j.free = j.free[1:]; j.missing[n] {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		numbers = j.takeOverdue(most, now.Add(-patience), held)
	}
	for _, n := range numbers {
		j.given = append(j.given, givenGame{n, now})
	}
	return numbers
}

// takeOverdue returns at most most games, given before a time, that are not in held. The caller holds mu.
func (j *job) takeOverdue(most int, before time.Time, held map[uint64]time.Time) (numbers []uint64) {
	if most <= 0 || len(j.given) == 0 || j.given[0].at.After(before) {
		return nil
	}
	j.given = slices.DeleteFunc(j.given, func(g givenGame) bool {
		_, own := held[g.number]
		again := j.missing[g.number] && !own && len(numbers) < most && g.at.Before(before)
		if again {
			numbers = append(numbers, g.number)
		}
		return again || !j.missing[g.number]
	})
	return numbers
}

// giveBack returns games that were taken, and forgets them. Others may take them at once, if they are of j, which may
// be nil.
func (j *job) giveBack(held map[uint64]time.Time) {
	defer clear(held)
	if j == nil || len(held) == 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.given = slices.DeleteFunc(j.given, func(g givenGame) bool {
		_, back := held[g.number]
		return back
	})
	for n := range held {
		if j.missing[n] {
			j.free = append(j.free, n)
		}
	}
	slices.Sort(j.free)
	j.free = slices.Compact(j.free)
}
