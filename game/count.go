package game

import (
	"context"
	"iter"
)

// Results counts finished games, or final positions, by their result.
type Results struct {
	FirstWins, SecondWins, Draws uint64
}

// Total is the number of all that were counted.
func (r Results) Total() uint64 { return r.FirstWins + r.SecondWins + r.Draws }

// add counts one end of a game; z is the result for the side to move there.
func (r *Results) add(z float32, toMove Side) {
	switch FirstPlayerOutcome(z, toMove) {
	case 1:
		r.FirstWins++
	case -1:
		r.SecondWins++
	default:
		r.Draws++
	}
}

// Perft counts the sequences of exactly depth legal moves from s: the customary check of a move generator (from chess
// programming, "performance test"). Sequences that reach the same position count apart; a game that ends before depth
// does not count. The moves of the last ply are counted, not played.
func Perft[S State[S]](s S, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	return perft(s, depth, nil)
}

// perft is Perft for depth > 0. It keeps the legal moves of the current line on a stack, whose top it may overwrite.
func perft[S State[S]](s S, depth int, stack []Action) uint64 {
	bottom := len(stack)
	stack = s.Legal(stack)
	moves := stack[bottom:]
	if depth == 1 {
		return uint64(len(moves))
	}
	var n uint64
	for _, a := range moves {
		n += perft(s.Play(a), depth-1, stack)
	}
	return n
}

// CountGames plays every complete game from the starting position and counts them by result.
func CountGames[S State[S]](g Game[S]) Results {
	var results Results
	countGames(g.Start(), nil, &results)
	return results
}

func countGames[S State[S]](s S, stack []Action, results *Results) {
	if z, over := s.Outcome(); over {
		results.add(z, s.ToMove())
		return
	}
	bottom := len(stack)
	stack = s.Legal(stack)
	for _, a := range stack[bottom:] {
		countGames(s.Play(a), stack, results)
	}
}

// Census counts the distinct positions at one ply.
type Census struct {
	Positions uint64  // those where the game is over included
	Terminal  Results // those where the game is over
}

// CountPositions counts the distinct positions by ply: element i, from 0, counts the positions that some sequence of i
// legal moves reaches, until maxPly or the ply where every game is over. It distinguishes positions by their keys, so
// the count is exact where keys are. It keeps 8 bytes per position so far, and some 30 per position of the newest ply.
// When ctx ends, the sequence ends early; the elements it yielded are right.
func CountPositions[S State[S]](ctx context.Context, g Game[S], maxPly int) iter.Seq[Census] {
	return func(yield func(Census) bool) {
		if !yield(Census{Positions: 1}) {
			return
		}
		l := layers[S]{start: g.Start(), open: [][]step{{{}}}}
		for ply := 1; ply <= maxPly; ply++ {
			census, open := l.next(ctx)
			if census.Positions == 0 || ctx.Err() != nil || !yield(census) {
				return
			}
			l.open = append(l.open, open)
		}
	}
}

// layers holds the positions of a game ply by ply, each as the step that first reached it. That takes 8 bytes, where a
// state may take a hundred; replaying the moves costs less than the memory would.
type layers[S State[S]] struct {
	start S
	open  [][]step // [ply][position] where the game is not over; open[0] stands for start alone
}

// step is a move and the index, in the layer before, of the position it was played in.
type step struct {
	parent int32
	action Action
}

// next counts the layer after the last and returns its open positions, or only some of them when ctx ends.
func (l *layers[S]) next(ctx context.Context) (census Census, open []step) {
	ply := len(l.open)
	seen := map[Key]struct{}{}
	var legal []Action
	for parent := range l.open[ply-1] {
		if ctx.Err() != nil {
			break
		}
		s := l.state(ply-1, int32(parent))
		legal = s.Legal(legal[:0])
		for _, a := range legal {
			child := s.Play(a)
			known := len(seen)
			seen[child.Key()] = struct{}{}
			if len(seen) == known {
				continue
			}
			if z, over := child.Outcome(); over {
				census.Terminal.add(z, child.ToMove())
			} else {
				open = append(open, step{int32(parent), a})
			}
		}
	}
	census.Positions = uint64(len(seen))
	return census, open
}

// state replays the moves to position i of a layer.
func (l *layers[S]) state(ply int, i int32) S {
	if ply == 0 {
		return l.start
	}
	last := l.open[ply][i]
	return l.state(ply-1, last.parent).Play(last.action)
}
