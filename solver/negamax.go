package solver

import (
	"math"
	"slices"

	"tengen/game"
	"tengen/game/forced"
)

// negamax is fail-soft alpha-beta search in the negamax form of Knuth and Moore ("An Analysis of Alpha-Beta Pruning",
// 1975), to a depth or to the end of the game.
type negamax[S game.State[S]] struct {
	maxPlies int
	line     *line[S]
	table    *transpositionTable
	history  [2][]int // [parity of the ply, action]: weighted cutoffs
	watch    watch
	nodes    uint64
	moves    uint64 // that are legal at the nodes

	prover      *forced.Prover[S] // or nil
	forcedNodes int               // limit per proof

	// lossAfter is the least number of plies in which a side without a winning move can lose: 1 if a side can lose by
	// its own move, else 2.
	lossAfter int
}

func newNegamax[S game.State[S]](g game.Game[S], c Config) *negamax[S] {
	n := &negamax[S]{maxPlies: g.MaxPlies(), line: newLine(g), table: newTranspositionTable(c.TableEntries), lossAfter: 1}
	if n.line.board != nil {
		n.lossAfter = 2
	}
	for side := range n.history {
		n.history[side] = make([]int, g.Actions())
	}
	n.forget()
	return n
}

func (n *negamax[S]) forget() {
	n.table.forget()
	for side := range n.history {
		clear(n.history[side])
	}
	for i := range n.line.frames {
		n.line.frames[i].killers = [2]game.Action{game.None, game.None}
	}
}

// search returns the value of the position at ply after depth more plies: exact between alpha and beta, an upper bound
// if at most alpha, a lower bound if at least beta, and undefined once the watch has stopped the search.
func (n *negamax[S]) search(ply, depth int, alpha, beta Value) Value {
	n.nodes++
	if n.watch.stopped() {
		return 0
	}
	f := &n.line.frames[ply]
	if value, over := n.final(f.images[0]); over {
		return value
	}
	if depth == 0 {
		if value, _, decided := n.prove(ply); decided {
			return value
		}
		return Value(f.estimator.Estimate())
	}
	key, image := n.line.key(ply)
	known := entry{key: key, depth: int16(depth), move: int16(game.None)}
	if e := n.table.get(key); e != nil {
		if e.answers(depth, alpha, beta) {
			return e.value
		}
		known.move = e.move
	}
	value, results, decided := n.prove(ply)
	if decided {
		return value
	}
	f.moves = f.images[0].Legal(f.moves[:0])
	n.moves += uint64(len(f.moves))
	if results != nil {
		f.moves = slices.DeleteFunc(f.moves, func(a game.Action) bool { return results[a] == game.Loss })
	} else if n.winsAtOnce(f) {
		return n.winAt(ply + 1)
	}
	// The fastest ends are a loss after lossAfter plies and a win one ply later. Lines that cannot beat the bounds are
	// cut off (mate-distance pruning).
	if fastest := -n.winAt(ply + n.lossAfter); fastest >= beta {
		return fastest
	}
	if fastest := n.winAt(ply + n.lossAfter + 1); fastest <= alpha {
		return fastest
	}
	n.order(ply, known.move, n.line.symmetries[image].Actions)
	best, move := n.searchMoves(ply, depth, alpha, beta)
	if n.watch.err == nil {
		known.value, known.bound = best, boundOf(best, alpha, beta)
		known.move = int16(n.line.symmetries[image].Actions[move])
		n.table.put(known)
	}
	return best
}

// searchMoves tries the ordered moves until one reaches beta.
func (n *negamax[S]) searchMoves(ply, depth int, alpha, beta Value) (best Value, move game.Action) {
	best, move = -infinity, n.line.frames[ply].moves[0]
	n.line.reach(ply + 1)
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

func (n *negamax[S]) winsAtOnce(f *frame[S]) bool {
	moves := f.moves
	if f.ending != nil {
		f.endings = f.ending.Endings(f.endings[:0])
		moves = f.endings
	}
	for _, a := range moves {
		if value, over := n.final(f.images[0].Play(a)); over && value < 0 {
			return true
		}
	}
	return false
}

func (n *negamax[S]) final(s S) (value Value, over bool) {
	score, over := Final(s, n.maxPlies)
	return valueOf(score), over
}

// winAt returns the value of a win with the given ply, above all draws and estimates.
func (n *negamax[S]) winAt(ply int) Value { return EstimateLimit + Value(WinAt(n.maxPlies, ply)) }

// answers reports whether the entry replaces a search to depth. Decided values hold at all depths.
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

func boundOf(value, alpha, beta Value) bound {
	switch {
	case value <= alpha:
		return upper
	case value >= beta:
		return lower
	}
	return exact
}

// Moves are tried in this order: the table's move; the killers, which cut off another position of the same ply (Akl and
// Newborn 1977); the others by history, their cutoffs anywhere, weighted by depth (Schaeffer 1989).
const (
	tableRank  = math.MaxInt
	killerRank = math.MaxInt - 1
)

// order sorts the moves at ply. best is the table's move, or game.None. The table holds an image of the position, and
// actions maps moves to the image.
func (n *negamax[S]) order(ply int, best int16, actions []game.Action) {
	f := &n.line.frames[ply]
	history := n.history[ply&1]
	for i, a := range f.moves {
		rank := history[a]
		switch {
		case int16(actions[a]) == best:
			rank = tableRank
		case a == f.killers[0] || a == f.killers[1]:
			rank = killerRank
		}
		j := i
		for ; j > 0 && f.ranks[j-1] < rank; j-- {
			f.moves[j], f.ranks[j] = f.moves[j-1], f.ranks[j-1]
		}
		f.moves[j], f.ranks[j] = a, rank
	}
}

func (n *negamax[S]) credit(ply, depth int, a game.Action) {
	n.history[ply&1][a] += depth * depth
	if killers := &n.line.frames[ply].killers; a != killers[0] {
		killers[0], killers[1] = a, killers[0]
	}
}
