// Package arena measures players: who plays, and how well.
//
// A Player chooses moves for many positions at once, so that a network searches all games of a match in lockstep and
// fills its batches. ParseSpec reads how a person names a player ("uct:1000"), a Builder turns the name into an Entrant,
// and Play lets two entrants meet. They start from Openings, short random beginnings that differ from each other, and
// play each one twice with colours swapped, so that neither luck with the opening nor the advantage of the first move
// decides. Result counts the games and says how sure one can be of the score; an SPRT ends a match when it is sure enough.
// Rate makes ratings of the results of many players, and Ladder plays the matches for them.
//
// Every random choice follows from the match's seed, the game's number and the side. So a game can be repeated by itself,
// and a match of players that do not go by the clock ends the same whatever the number of workers.
package arena

import (
	"context"
	"math/rand/v2"

	"tengen/game"
)

// Player chooses moves. It is not safe for concurrent use.
//
// It knows nothing of the games: no search tree is kept from one move to the next, so that what is measured is the
// strength of a position's move and does not depend on how the position came about.
type Player[S game.State[S]] interface {
	// Choose sets moves[i] to a legal move of positions[i], none of which is over. rngs[i] is for that position alone: the
	// move depends on the position, the player and the state of the generator, never on what else is in the call. The three
	// slices have equal lengths and must not be kept. When ctx ends first, it returns an error and the moves mean nothing.
	Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error
}

// Factory makes a player of its own for each goroutine that needs one.
type Factory[S game.State[S]] func() (Player[S], error)

// Entrant is one side of a match.
type Entrant[S game.State[S]] struct {
	Name string // in results and errors, usually Spec.String
	New  Factory[S]
}
