package connect4

import "context"

// worker is one goroutine's search. The table may be shared.
type worker struct {
	board      *board
	table      *transpositionTable
	order      []uint64         // the columns, in the order in which moves of equal merit are tried
	candidates [][]candidate    // for each ply, the moves under consideration
	killer     [maxCells]uint64 // for each ply, the move that last refuted the opponent's there
	nodes, due uint64           // positions visited; when to look at ctx again
	ctx        context.Context
	stopped    bool // ctx has ended, and what search returns means nothing
}

func newWorker(b *board, t *transpositionTable, order []uint64) *worker {
	w := &worker{board: b, table: t, order: order, candidates: make([][]candidate, b.cells)}
	for ply := range w.candidates {
		w.candidates[ply] = make([]candidate, b.size.Columns)
	}
	return w
}

// solve returns the score of p if it is in [lower, upper], else the nearer of the two. ok is false when ctx ended first.
//
// It asks whether the score is above a number, again and again. The first numbers are those of a quick end, which is
// found or ruled out by a shallow search; what the table remembers of it helps the deeper ones, as in iterative deepening.
func (w *worker) solve(ctx context.Context, p position, lower, upper int) (score int, ok bool) {
	b, ply := w.board, p.ply()
	soonest := (*[5]int)(b.soonest[ply:])
	switch {
	case b.wins(p):
		return min(soonest[1], upper), true
	case b.safe(p) == 0:
		return max(-soonest[2], lower), true
	}
	w.ctx, w.due, w.stopped = ctx, 0, false
	lower, upper = max(lower, -soonest[4]), min(upper, soonest[3])
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

// interrupted looks at the context once in 1,024 nodes, and once that has ended answers yes for good.
func (w *worker) interrupted() bool {
	if w.ctx.Err() != nil {
		w.stopped = true
		return true
	}
	w.due = w.nodes + 1024
	return false
}
