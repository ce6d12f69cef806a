package connect4

import (
	"context"
	"slices"
	"sync"

	"tengen/internal/eventloop"
)

// worker is one goroutine's search.
type worker struct {
	board      *board
	table      *transpositionTable
	order      []uint64         // the columns; of equally rated moves, an earlier one is tried first
	candidates [][]candidate    // by ply
	killer     [maxCells]uint64 // by ply: the last move that caused a cutoff
	nodes, due uint64           // positions visited; ctx is checked again at due
	ctx        context.Context
	stopped    bool // ctx has ended; results are invalid
}

func newWorker(b *board, t *transpositionTable, order []uint64) *worker {
	w := &worker{board: b, table: t, order: order, candidates: make([][]candidate, b.cells)}
	for ply := range w.candidates {
		w.candidates[ply] = make([]candidate, b.size.Columns)
	}
	return w
}

// solve returns the score of p if it is in [lower, upper], else the nearer bound. ok is false if ctx ended first.
//
// It bisects the range with null windows. The first windows look only for quick ends; their table entries help the
// deeper searches.
func (w *worker) solve(ctx context.Context, p position, lower, upper int) (score int, ok bool) {
	b, ply := w.board, p.ply()
	fastest := (*[5]int)(b.fastest[ply:])
	switch {
	case b.wins(p):
		return min(fastest[1], upper), true
	case b.safe(p) == 0:
		return max(-fastest[2], lower), true
	}
	w.ctx, w.due, w.stopped = ctx, 0, false
	lower, upper = max(lower, -fastest[4]), min(upper, fastest[3])
	for lower < upper {
		alpha := lower + (upper-lower)/2
		if alpha <= 0 {
			alpha = min(alpha, lower*3/4)
		} else {
			alpha = max(alpha, upper*3/4)
		}
		bound := w.search(p, w.hash(p, ply), ply, alpha)
		if w.stopped {
			return 0, false
		}
		if bound <= alpha {
			upper = max(bound, lower)
		} else {
			lower = min(bound, upper)
		}
	}
	return lower, true
}

func (w *worker) interrupted() bool {
	eventloop.Yield()
	if w.ctx.Err() != nil {
		w.stopped = true
		return true
	}
	w.due = w.nodes + 1024
	return false
}

// race solves p with all workers and returns the first result. ok is false if ctx ended first.
func race(ctx context.Context, workers []*worker, p position, lower, upper int) (score int, ok bool) {
	racing, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	var once sync.Once
	for _, w := range workers {
		wg.Go(func() {
			if found, done := w.solve(racing, p, lower, upper); done {
				once.Do(func() { score, ok = found, true })
				stop()
			}
		})
	}
	wg.Wait()
	return score, ok
}

// orderOf returns the columns roughly from the centre outwards, in an order that differs between threads.
func (b *board) orderOf(thread int) []uint64 {
	order := slices.Clone(b.order)
	if thread%2 == 1 {
		for i := 1; i+1 < len(order); i += 2 {
			order[i], order[i+1] = order[i+1], order[i]
		}
	}
	if i := thread / 2 % (len(order) - 1); i > 0 {
		order[i-1], order[i] = order[i], order[i-1]
	}
	return order
}
