package solver

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"tengen/game"
	"tengen/game/forced"
)

// Searcher chooses moves in games too large to solve, by alpha-beta search to a limited depth with an Estimator. It
// deepens one ply at a time, and each depth orders the moves of the next. Equal depths give equal results, whatever the
// earlier calls. It is not safe for concurrent use.
//
// With Config.ForcedNodes, it also finds wins and losses by forced moves at any depth. The winner may win sooner than
// their Value says.
type Searcher[S game.State[S]] struct{ negamax *negamax[S] }

// NewSearcher returns a searcher for g, or an error if the game has no Estimator.
func NewSearcher[S game.State[S]](g game.Game[S], c Config) (*Searcher[S], error) {
	n := newNegamax(g, c)
	if _, ok := any(n.line.root).(Estimator); !ok {
		return nil, fmt.Errorf("%s has no estimates for a search of limited depth (add Estimate() int to its positions): use uct or a network or, on small boards, solver", g.Name())
	}
	if c.ForcedNodes > 0 {
		n.prover, n.forcedNodes = forced.New[S](), c.ForcedNodes
	}
	return &Searcher[S]{n}, nil
}

// Result is a search's result. Values are for the side to move at the root.
type Result struct {
	Moves  []Move // the legal moves, the best first; equals in any order
	Depth  int    // in plies
	Nodes  uint64
	Proven bool // the best value is a win, a loss, or from a search to the end
}

// Move is a legal move and its value for its side.
type Move struct {
	Action game.Action
	// Value is exact to the searched depth for the best moves, and an upper bound below the best for the others. If
	// forced moves prove a win at the root, the other moves are not searched and rank below.
	Value Value
}

// Best returns the moves with the best value.
func (r Result) Best() []Move {
	for i, m := range r.Moves {
		if m.Value < r.Moves[0].Value {
			return r.Moves[:i]
		}
	}
	return r.Moves
}

// Deepen yields the results of searches of s, which must not be over, at depth 1, 2 and so on. It ends when the best
// value is decided, at the end of the game, or when ctx ends. It discards an interrupted depth other than 1.
func (r *Searcher[S]) Deepen(ctx context.Context, s S) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		n := r.negamax
		n.forget()
		ply := n.line.start(s)
		before := n.nodes
		n.watch = newWatch(context.Background())
		moves := rootMoves(s)
		if n.winsByForce(ply, moves) {
			yield(Result{Moves: moves, Depth: 1, Nodes: n.nodes - before, Proven: true})
			return
		}
		for depth := 1; ; depth++ {
			moves = slices.Clone(moves)
			n.searchRoot(ply, depth, moves)
			if n.watch.err != nil {
				return
			}
			decided, end := moves[0].Value.decided(), depth == n.maxPlies-ply
			result := Result{Moves: moves, Depth: depth, Nodes: n.nodes - before, Proven: decided || end}
			if !yield(result) || result.Proven {
				return
			}
			if n.watch = newWatch(ctx); n.watch.err != nil {
				return
			}
		}
	}
}

func rootMoves[S game.State[S]](s S) []Move {
	var moves []Move
	for _, a := range s.Legal(nil) {
		moves = append(moves, Move{Action: a})
	}
	if len(moves) == 0 {
		panic("solver: search of a finished game")
	}
	return moves
}

// searchRoot searches the moves at ply to depth, at least 1, sets their values and sorts them, the best first. Its
// window begins below the best value so far and is open above, so equally good moves get exact values.
func (n *negamax[S]) searchRoot(ply, depth int, moves []Move) {
	n.nodes++
	n.line.reach(ply + 1)
	best := -infinity + 1
	for i := range moves {
		n.line.play(ply, moves[i].Action)
		moves[i].Value = -n.search(ply+1, depth-1, -infinity, -(best - 1))
		best = max(best, moves[i].Value)
	}
	sortMoves(moves)
}

func sortMoves(moves []Move) {
	slices.SortStableFunc(moves, func(a, b Move) int { return cmp.Compare(b.Value, a.Value) })
}
