package players

import (
	"context"
	"math/rand/v2"

	"tengen/game"
)

// Line is a position, and how the game came there.
type Line[S game.State[S]] struct {
	Root     S             // where Moves begin: the start, or a position that was set up
	Moves    []game.Action // from Root to Position; must not be changed
	Position S
}

// At returns the line of a position without a history.
func At[S game.State[S]](s S) Line[S] { return Line[S]{Root: s, Position: s} }

// Answerer chooses moves and explains them. It is not safe for concurrent use.
//
// Choose and Analyze answer for lines[i] in element i of their last argument and use rngs[i] only for it. No position
// may be over. Without a time limit, an answer depends only on the position, the player and the generator's state. The
// slices have equal lengths and must not be retained. After an error the answers are invalid.
type Answerer[S game.State[S]] interface {
	// Choose sets moves[i] to a legal move.
	Choose(ctx context.Context, lines []Line[S], rngs []*rand.Rand, moves []game.Action) error

	// Analyze sets dst[i] to a new Analysis. Its Best is the move that Choose would set.
	Analyze(ctx context.Context, lines []Line[S], rngs []*rand.Rand, dst []*Analysis) error

	// Together returns the best number of positions per call.
	Together() int
}

type answerer[S game.State[S]] struct {
	algorithm Algorithm[S]
	limit     Limit
	searchers []Searcher[S] // grows to the number used at once
}

// Choose implements Answerer.
func (a *answerer[S]) Choose(ctx context.Context, lines []Line[S], rngs []*rand.Rand, moves []game.Action) error {
	limit := a.limit
	limit.MoveOnly = true
	return a.search(ctx, lines, rngs, limit, func(i int, s Searcher[S]) { moves[i] = s.Choose(rngs[i]) })
}

// Analyze implements Answerer.
func (a *answerer[S]) Analyze(ctx context.Context, lines []Line[S], rngs []*rand.Rand, dst []*Analysis) error {
	return a.search(ctx, lines, rngs, a.limit, func(i int, s Searcher[S]) { dst[i] = s.Analysis(rngs[i]) })
}

// Together implements Answerer.
func (a *answerer[S]) Together() int { return a.algorithm.Together(a.limit) }

func (a *answerer[S]) search(ctx context.Context, lines []Line[S], rngs []*rand.Rand, l Limit, found func(i int, s Searcher[S])) error {
	for len(a.searchers) < max(1, min(a.Together(), len(lines))) {
		a.searchers = append(a.searchers, a.algorithm.New())
	}
	for first := 0; first < len(lines); first += len(a.searchers) {
		on := a.searchers[:min(len(a.searchers), len(lines)-first)]
		for i, s := range on {
			s.Reset(lines[first+i], rngs[first+i])
		}
		err := a.algorithm.Search(ctx, on, l, silent)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for i, s := range on {
			found(first+i, s)
		}
	}
	return nil
}

// silent ignores progress. A function literal would allocate in each call.
func silent(bool) {}
