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

// book is the list of the games of one call of Generate: which are missing, and which are under way in this process. Its methods
// may be called by several goroutines at once.
type book struct {
	model   uint64
	info    modelInfo
	file    []byte // of the model
	weights *net.Weights
	numbers []uint64 // sorted
	started time.Time
	ctx     context.Context // ends, by end, with errDone or what went wrong
	end     context.CancelCauseFunc
	checks  chan arrival // to be played again; closed when no more come

	// using is held shared while a goroutine hands games to the sink, and taken when Generate ends: no goroutine does after that.
	using sync.RWMutex
	sink  replay.Sink // nil when Generate has ended

	mu          sync.Mutex
	missing     map[uint64]bool // neither kept nor on its way to the sink
	here        map[uint64]bool // under way in this process
	oldest      int             // numbers before this index are kept or under way here
	kept        int
	simulations int64 // of games from elsewhere
	firstKept   time.Duration
	changed     time.Time // when tasks were published, or games kept, last; zero before
}

// errDone ends a book whose games are all kept.
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

// claim reports whether the record of a game is the first. The caller keeps a game that it claims, and then calls settle.
func (b *book) claim(number uint64) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first = b.missing[number]
	delete(b.missing, number)
	return first
}

// wants reports whether a game is missing.
func (b *book) wants(number uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.missing[number]
}

// settle notes that so many games which were claimed are kept.
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

// begin notes that a game is under way in this process, unless it need not be.
func (b *book) begin(number uint64) (may bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if may = b.missing[number] && !b.here[number]; may {
		b.here[number] = true
	}
	return may
}

// beginOldest begins the oldest game that is missing and not under way in this process.
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

// elsewhere are the games that are missing and not under way in this process.
func (b *book) elsewhere() (numbers []uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.numbers {
		if b.missing[n] && !b.here[n] {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// leastPatience is the shortest time without any game after which tasks are handed out again.
const leastPatience = 10 * time.Second

// stalled reports whether no game has come for so long that those who have the tasks may never send any: long after the time that
// the first game took, as far as that is known.
func (b *book) stalled(least time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	usual := b.firstKept
	if b.kept == 0 {
		usual = time.Since(b.started) / 4 // so the pauses double
	}
	return !b.changed.IsZero() && time.Since(b.changed) > max(least, 2*usual)
}

// stock notes that tasks were published.
func (b *book) stock() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed = time.Now()
}
