package live

import (
	"context"
	"math/rand/v2"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
)

// searcher is one way to think about a position. It is not safe for concurrent use. The position of reset and advance
// may be over; the other methods are then not called.
type searcher[S any] interface {
	// reset forgets everything and takes up s.
	reset(s S)

	// advance plays a legal move and keeps what it can of what was found below it.
	advance(a game.Action)

	// search works until the tree has the given number of simulations (0: no limit), until there is nothing left to find,
	// or until ctx ends, which is no error; always until analysis has a move to offer. Between two pieces of work it calls
	// progress, which may call analysis: with true when it has news worth a report at once.
	search(ctx context.Context, simulations int, progress func(news bool)) error

	// analysis is what has been found so far, without memory that the search goes on writing to.
	analysis() *arena.Analysis

	// simulations is the size of the tree, as Limit counts it.
	simulations() int
}

// choice returns the generator of a choice at s. All analyses of a position choose by the same numbers, so that the
// answer does not depend on how many reports there were.
func choice[S game.State[S]](seed uint64, s S) *rand.Rand {
	return random.New(seed, random.Choice, uint64(s.Ply()))
}

// conclude sets the chosen move and turns the weights of a.Policy into shares.
func conclude(a *arena.Analysis, best game.Action) *arena.Analysis {
	a.Best = best
	if len(a.PV) == 0 || a.PV[0] != a.Best {
		a.PV = []game.Action{a.Best}
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

// finished is all that there is to say of a game that is over.
func finished(z float32) *arena.Analysis {
	return &arena.Analysis{Best: game.None, Value: z, Proven: mcts.Draw + mcts.Result(z)}
}
