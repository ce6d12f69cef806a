package connect4

import "math/bits"

// foldPlies is the ply from which mirror images are too rare to fold.
const foldPlies = 14

type candidate struct {
	cell    uint64
	threats uint64
	hash    uint64
	merit   int
}

func (p position) after(m *candidate) position {
	return position{own: p.own ^ p.mask, mask: p.mask | m.cell, threats: m.threats}
}

// search reports whether the score of p is above alpha: it returns a lower bound above alpha, or an upper bound up to
// alpha. The side to move cannot win at once and has a safe move, unless the board is full.
func (w *worker) search(p position, hash uint64, ply, alpha int) int {
	if w.nodes++; w.nodes >= w.due && w.interrupted() {
		return 0
	}
	fastest := (*[5]int)(w.board.fastest[ply:])
	lower, upper := -fastest[4], fastest[3]
	if l, u, ok := w.table.get(hash); ok {
		lower, upper = max(lower, l), min(upper, u)
	}
	if lower > alpha {
		return lower
	}
	if upper <= alpha {
		return upper
	}
	moves, winning := w.moves(p, ply)
	if winning {
		return fastest[3]
	}
	if alpha <= 0 && w.board.controls(p, moves, ply, alpha+1) {
		return max(0, alpha+1)
	}
	// Enhanced transposition cutoff (Schaeffer and Plaat 1996).
	for i := range moves {
		if _, u, ok := w.table.get(moves[i].hash); ok && -u > alpha {
			return -u
		}
	}
	best := lower
	for i := range moves {
		m := &moves[i]
		score := -w.search(p.after(m), m.hash, ply+1, -alpha-1)
		if w.stopped {
			return 0
		}
		if score > alpha {
			w.killer[ply] = m.cell
			w.table.put(hash, score, upper)
			return score
		}
		best = max(best, score)
	}
	w.table.put(hash, lower, best)
	return best
}

// moves returns the safe moves of p, the best first, or reports a win if one leaves the opponent no safe move. It ranks
// moves by the threats that the mover then has, then by this ply's killer and the distance from the centre. A threat
// just above an opponent's threat does not count.
func (w *worker) moves(p position, ply int) (moves []candidate, winning bool) {
	b := w.board
	moves = w.candidates[ply]
	safe, killer := b.safe(p), w.killer[ply]
	n := 0
	for _, column := range w.order {
		cell := safe & column
		if cell == 0 {
			continue
		}
		child := b.play(p, cell)
		if b.safe(child) == 0 {
			return nil, true
		}
		merit := 2 * bits.OnesCount64(child.threats&^(p.threats<<1))
		if cell == killer {
			merit++
		}
		at := n
		for ; at > 0 && moves[at-1].merit < merit; at-- {
			moves[at] = moves[at-1]
		}
		moves[at] = candidate{cell, child.threats, w.hash(child, ply+1), merit}
		n++
	}
	return moves[:n], false
}

func (w *worker) hash(p position, ply int) uint64 {
	if ply < foldPlies {
		return hash(w.board.folded(p))
	}
	return hash(p.key())
}
