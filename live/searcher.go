package live

import (
	"context"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/players"
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
	analysis() *players.Analysis

	// simulations is the size of the tree, as Limit counts it.
	simulations() int
}

// explainer is a searcher with a tree to look into. detail is called where analysis may be, after it.
type explainer interface {
	// detail describes the moves of an analysis, and the position that a line of moves leads to.
	detail(moves []mcts.Stat, line []game.Action) *Detail
}

// tree is what mcts.Search and uct.Search have in common.
type tree interface {
	PVAfter(dst []game.Action, line ...game.Action) []game.Action
	Below(line []game.Action) (mcts.Below, bool)
}

// detailOf is the detail of a tree.
func detailOf(t tree, moves []mcts.Stat, line []game.Action) *Detail {
	d := &Detail{Lines: make([][]game.Action, len(moves))}
	for i, m := range moves {
		d.Lines[i] = t.PVAfter([]game.Action{m.Action}, m.Action)
	}
	if below, ok := t.Below(line); ok {
		d.Below = &below
	}
	return d
}

// choice returns the generator of a choice at s. All analyses of a position choose by the same numbers, so that the
// answer does not depend on how many reports there were.
func choice[S game.State[S]](seed uint64, s S) *rand.Rand {
	return random.New(seed, random.Choice, uint64(s.Ply()))
}

// finished is all that there is to say of a game that is over.
func finished(z float32) *players.Analysis {
	return &players.Analysis{Best: game.None, Value: z, Proven: mcts.Draw + mcts.Result(z)}
}
