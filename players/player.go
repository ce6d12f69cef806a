// Package players is who plays.
//
// A Player chooses moves for many positions at once, so that a network searches all games of a match in lockstep and fills its
// batches; and it explains them. ParseSpec reads how a person names a player ("uct:1000"), and a Builder turns the name into an
// Entrant. AnalyzeAll explains a stream of positions.
//
// Players and analyses keep nothing from one position to the next: the answer depends on the position, the seed and the limit
// alone. Package live thinks about one position for somebody who waits.
package players

import (
	"context"
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts"
)

// Player chooses moves and explains them. It is not safe for concurrent use.
//
// It knows nothing of the games: no search tree is kept from one move to the next, so that what is measured is the
// strength of a position's move and does not depend on how the position came about.
//
// Both methods answer positions[i], which is not over, in element i of their last argument, and rngs[i] is for that
// position alone: unless the player goes by the clock, the answer depends on the position, the player and the state of the
// generator, never on what else is or was asked. The slices have equal lengths and must not be kept. When ctx ends first,
// or the player fails, the error says so and the answers mean nothing.
type Player[S game.State[S]] interface {
	// Choose sets moves[i] to a legal move.
	Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error

	// Analyze sets dst[i] to a new Analysis, whose Best is the move that Choose would have set.
	Analyze(ctx context.Context, positions []S, rngs []*rand.Rand, dst []*Analysis) error
}

// Factory makes a player of its own for each goroutine that needs one. It is safe for concurrent use.
type Factory[S game.State[S]] func() (Player[S], error)

// Entrant is a player with its name: one side of a match, or one to be graded.
type Entrant[S game.State[S]] struct {
	Name string // in results and errors, usually Spec.String
	New  Factory[S]
}

// Analysis is what a player thinks of one position. Values are for the side to move.
type Analysis struct {
	Best   game.Action
	Value  float32       // in [-1, 1]
	Proven mcts.Result   // Unknown where the player proves nothing
	Moves  []mcts.Stat   // the legal moves, by ascending action
	Policy []float32     // [Actions]: share of each move, summing to 1
	PV     []game.Action // begins with Best

	// Simulations of a network, playouts of UCT, positions visited by alpha-beta. A solver visits fewer where it remembers what
	// it was asked before.
	Simulations int
}

// Analyze asks a player about one position, which must not be over.
func Analyze[S game.State[S]](ctx context.Context, p Player[S], position S, rng *rand.Rand) (*Analysis, error) {
	var answer [1]*Analysis
	if err := p.Analyze(ctx, []S{position}, []*rand.Rand{rng}, answer[:]); err != nil {
		return nil, err
	}
	return answer[0], nil
}

// Conclude completes an analysis, and returns it: it sets the chosen move, to which the variation is cut where it does not begin
// with it, and turns the weights of Policy, not all 0, into shares.
func (a *Analysis) Conclude(best game.Action) *Analysis {
	a.Best = best
	if len(a.PV) == 0 || a.PV[0] != best {
		a.PV = []game.Action{best}
	}
	sum := float32(0)
	for _, p := range a.Policy {
		sum += p
	}
	for i := range a.Policy {
		a.Policy[i] /= sum
	}
	return a
}
