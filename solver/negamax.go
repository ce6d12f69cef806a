package solver

import "tengen/game"

// negamax is alpha-beta search in the negamax form of Knuth and Moore ("An Analysis of Alpha-Beta Pruning", 1975), fail-soft:
// to a depth, or to the end of the game. AlphaBeta and Searcher are built on it.
type negamax[S game.State[S]] struct {
	cells   int
	line    *line[S]
	table   *transpositions // nil: none
	history [2][]int        // [side to move, action]: how much the action has cut off
	watch   watch
	counts  Counts
}

func newNegamax[S game.State[S]](g game.Game[S], c Config) *negamax[S] {
	if err := c.Validate(); err != nil {
		panic("solver: " + err.Error())
	}
	l := newLine(g, c.Symmetries)
	n := &negamax[S]{cells: len(l.frames) - 1, line: l, table: newTranspositions(c)}
	for side := range n.history {
		n.history[side] = make([]int, g.Actions())
	}
	n.forget()
	return n
}

// forget makes the next search independent of those before.
func (n *negamax[S]) forget() {
	n.table.forget()
	for side := range n.history {
		clear(n.history[side])
	}
	for i := range n.line.frames {
		n.line.frames[i].killers = [2]game.Action{game.None, game.None}
	}
}

// search returns the value of the position at ply after depth more plies: exact between alpha and beta, at most an upper
// bound up to alpha, a lower bound from beta on, and anything when the watch has stopped it.
func (n *negamax[S]) search(ply, depth int, alpha, beta Value) Value {
	n.counts.Nodes++
	if n.watch.stopped() {
		return 0
	}
	f := &n.line.frames[ply]
	if value, over := n.final(f.images[0]); over {
		n.counts.Games++
		return value
	}
	if depth == 0 {
		return Value(f.estimator.Estimate())
	}
	known := entry{depth: int16(depth), move: int16(game.None)}
	image := 0
	if n.table != nil {
		known.key, image = n.line.key(ply)
		if e := n.table.get(known.key); e != nil {
			if e.answers(depth, alpha, beta) {
				return e.value
			}
			known.move = e.move
		}
	}
	f.moves = f.images[0].Legal(f.moves[:0])
	if n.winsAtOnce(f) {
		return n.winAt(ply + 1)
	}
	// Without that, the soonest ends are a loss by the opponent's next stone and a win by the one after it: lines that
	// cannot do better than what is at hand already are cut off, as chess programs do by the distance to mate.
	if soonest := -n.winAt(ply + 2); soonest >= beta {
		return soonest
	}
	if soonest := n.winAt(ply + 3); soonest <= alpha {
		return soonest
	}
	n.order(ply, known.move, n.line.symmetries[image].Actions)
	best, move := n.searchMoves(ply, depth, alpha, beta)
	if n.table != nil && n.watch.err == nil {
		known.value, known.bound = best, boundOf(best, alpha, beta)
		known.move = int16(n.line.symmetries[image].Actions[move])
		n.table.put(known)
	}
	return best
}

// searchMoves tries the ordered moves of the position at ply until one is worth beta.
func (n *negamax[S]) searchMoves(ply, depth int, alpha, beta Value) (best Value, move game.Action) {
	best, move = -infinity, n.line.frames[ply].moves[0]
	for _, a := range n.line.frames[ply].moves {
		n.line.play(ply, a)
		value := -n.search(ply+1, depth-1, -beta, -max(alpha, best))
		if n.watch.err != nil {
			break
		}
		if value > best {
			best, move = value, a
		}
		if value >= beta {
			n.credit(ply, depth, a)
			break
		}
	}
	return best, move
}

// winsAtOnce reports whether a move of the position ends the game with a win.
func (n *negamax[S]) winsAtOnce(f *frame[S]) bool {
	for _, a := range f.moves {
		if value, over := n.final(f.images[0].Play(a)); over && value < 0 {
			return true
		}
	}
	return false
}

// final is the value of a finished game.
func (n *negamax[S]) final(s S) (value Value, over bool) {
	n.counts.TerminalTests++
	score, over := Final(s, n.cells)
	return valueOf(score), over
}

// winAt is the value of winning with the stone that makes the given ply: a bound above all draws and estimates, also for
// a ply beyond the end of the game.
func (n *negamax[S]) winAt(ply int) Value { return EstimateLimit + Value(WinAt(n.cells, ply)) }

// answers reports whether the entry makes a search to the given depth unnecessary. Wins and losses hold at all depths, and
// so do bounds that are among them: a shorter way would have been within the depth that was searched.
func (e *entry) answers(depth int, alpha, beta Value) bool {
	if !e.value.decided() && int(e.depth) < depth {
		return false
	}
	switch e.bound {
	case lower:
		return e.value >= beta
	case upper:
		return e.value <= alpha
	}
	return true
}

// boundOf says what a fail-soft search between alpha and beta has found out by the value it returned.
func boundOf(value, alpha, beta Value) bound {
	switch {
	case value <= alpha:
		return upper
	case value >= beta:
		return lower
	}
	return exact
}
