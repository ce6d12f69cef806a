package game

import (
	"context"
	"iter"
)

// Results counts finished games or final positions by result.
type Results struct {
	FirstWins, SecondWins, Draws uint64
}

// Total returns the sum of the counts.
func (r Results) Total() uint64 { return r.FirstWins + r.SecondWins + r.Draws }

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

// Perft returns the number of sequences of exactly depth legal moves from s, the customary test of a move generator.
// The moves of the last ply are counted, not played.
func Perft[S State[S]](s S, depth int) (n uint64) {
	if depth == 0 {
		return 1
	}
	moves := s.Legal(nil)
	if depth == 1 {
		return uint64(len(moves))
	}
	for _, a := range moves {
		n += Perft(s.Play(a), depth-1)
	}
	return n
}

// Census counts the distinct positions at one ply.
type Census struct {
	Positions uint64
	Terminal  Results
}

// CountPositions yields one Census per ply, from 0 until maxPly or the ply where every game is over. Keys tell
// positions apart. It keeps 8 bytes per position, and about 30 per position of the newest ply. If ctx ends, the
// sequence ends early.
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

// layers holds a game's positions by ply, each as the step that first reached it.
type layers[S State[S]] struct {
	start S
	open  [][]step // [ply][position] unfinished ones; open[0] stands for start
}

// step is a move and its parent's index in the previous layer.
type step struct {
	parent int32
	action Action
}

// next returns the census and the open positions of the next layer, incomplete if ctx ends.
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

// state replays position i of the layer at ply.
func (l *layers[S]) state(ply int, i int32) S {
	if ply == 0 {
		return l.start
	}
	last := l.open[ply][i]
	return l.state(ply-1, last.parent).Play(last.action)
}
