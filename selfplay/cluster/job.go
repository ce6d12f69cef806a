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

// job keeps track of the games of one call to Generate. It is safe for concurrent use.
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
	sink  replay.Sink  // nil after Generate

	mu          sync.Mutex
	missing     map[uint64]bool // neither kept nor claimed
	here        map[uint64]bool // being played in this process
	oldest      int             // numbers before this index are claimed or played here
	kept        int
	simulations int64         // of workers' games
	firstKept   time.Duration // time until the first game was kept
	changed     time.Time     // when tasks were last published or games kept; zero before
}

var errDone = errors.New("all games are kept")

func newJob(ctx context.Context, model uint64, w *net.Weights, numbers []uint64, sink replay.Sink) *job {
	j := &job{
		model: model, weights: w, sink: sink, numbers: slices.Compact(slices.Sorted(slices.Values(numbers))), started: time.Now(),
		missing: map[uint64]bool{}, here: map[uint64]bool{},
	}
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
	j.changed = time.Now()
	if j.kept == 0 {
		j.firstKept = j.changed.Sub(j.started)
	}
	j.simulations += simulations
	if j.kept += games; j.kept == len(j.numbers) {
		j.end(errDone)
	}
}

// begin marks a game as being played here. It returns false if the game is not missing or already being played here.
func (j *job) begin(number uint64) (ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if ok = j.missing[number] && !j.here[number]; ok {
		j.here[number] = true
	}
	return ok
}

func (j *job) beginOldest() (number uint64, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for ; j.oldest < len(j.numbers); j.oldest++ {
		if n := j.numbers[j.oldest]; j.missing[n] && !j.here[n] {
			j.here[n] = true
			return n, true
		}
	}
	return 0, false
}

func (j *job) forWorkers() (numbers []uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, n := range j.numbers {
		if j.missing[n] && !j.here[n] {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// minStall is the minimum time without a game before tasks are published again.
const minStall = 10 * time.Second

// stalled reports whether workers may be lost: no game has arrived for longer than both least and twice the time to the
// first game. Before the first game, half the time so far counts instead.
func (j *job) stalled(least time.Duration) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	usual := j.firstKept
	if j.kept == 0 {
		usual = time.Since(j.started) / 4 // so the intervals grow exponentially
	}
	return !j.changed.IsZero() && time.Since(j.changed) > max(least, 2*usual)
}

func (j *job) tasksPublished() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.changed = time.Now()
}
