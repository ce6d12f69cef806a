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

// book keeps track of the games of one call to Generate. It is safe for concurrent use.
type book struct {
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

func newBook(ctx context.Context, model uint64, w *net.Weights, numbers []uint64, sink replay.Sink) *book {
	b := &book{
		model: model, weights: w, sink: sink, numbers: slices.Compact(slices.Sorted(slices.Values(numbers))), started: time.Now(),
		missing: map[uint64]bool{}, here: map[uint64]bool{},
	}
	b.ctx, b.end = context.WithCancelCause(ctx)
	b.checks = make(chan arrival, len(b.numbers))
	for _, n := range b.numbers {
		b.missing[n] = true
	}
	return b
}

// claim reports whether a game is still missing. The caller must keep a claimed game, then call settle.
func (b *book) claim(number uint64) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first = b.missing[number]
	delete(b.missing, number)
	return first
}

func (b *book) wants(number uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.missing[number]
}

// settle records that claimed games are kept. The last ends the book.
func (b *book) settle(games int, simulations int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed = time.Now()
	if b.kept == 0 {
		b.firstKept = b.changed.Sub(b.started)
	}
	b.simulations += simulations
	if b.kept += games; b.kept == len(b.numbers) {
		b.end(errDone)
	}
}

// begin marks a game as being played here. It returns false if the game is not missing or already being played here.
func (b *book) begin(number uint64) (ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ok = b.missing[number] && !b.here[number]; ok {
		b.here[number] = true
	}
	return ok
}

func (b *book) beginOldest() (number uint64, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ; b.oldest < len(b.numbers); b.oldest++ {
		if n := b.numbers[b.oldest]; b.missing[n] && !b.here[n] {
			b.here[n] = true
			return n, true
		}
	}
	return 0, false
}

func (b *book) forWorkers() (numbers []uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.numbers {
		if b.missing[n] && !b.here[n] {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// leastPatience is the minimum time without a game before tasks are republished.
const leastPatience = 10 * time.Second

// stalled reports whether workers may be lost: no game has arrived for longer than both least and twice the time to the
// first game. Before the first game, half the time so far counts instead.
func (b *book) stalled(least time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	usual := b.firstKept
	if b.kept == 0 {
		usual = time.Since(b.started) / 4 // so the intervals grow exponentially
	}
	return !b.changed.IsZero() && time.Since(b.changed) > max(least, 2*usual)
}

func (b *book) tasksPublished() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed = time.Now()
}
