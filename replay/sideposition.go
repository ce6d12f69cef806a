package replay

import (
	"slices"

	"tengen/game"
	"tengen/internal/random"
)

// This file adds positions beside the games. Searches evaluate mostly positions after blunders, which self-play rarely
// contains. KataGo forks games there (sidePositionProb of its self-play). Where perfect play is known, these positions
// cost no search.

// sidePosition is the position after a random move, in place of the one played.
type sidePosition struct {
	move   int16 // game.None: every move ends the game
	result int8  // of perfect play, for the side to move after the move
}

// sidePositions draws a side position, with its result, for each of the states from solve. The move may be the one
// played, but does not end the game.
func (w *Window[S]) sidePositions(g *Record, states []S) []sidePosition {
	rng := random.New(g.Seed, random.SidePosition, g.Number)
	all := make([]sidePosition, len(states))
	var next []S
	for i, s := range states {
		moves := slices.DeleteFunc(s.Legal(nil), func(a game.Action) bool {
			_, over := s.Play(a).Outcome()
			return over
		})
		all[i].move = int16(game.None)
		if len(moves) > 0 {
			a := moves[rng.IntN(len(moves))]
			all[i].move = int16(a)
			next = append(next, s.Play(a))
		}
	}
	results := w.tablebase(next)
	for i := range all {
		if all[i].move != int16(game.None) {
			all[i].result, results = results[0], results[1:]
		}
	}
	return all
}

// sidePosition returns the side position for a ply, if there is one.
func (g *windowGame) sidePosition(ply int) (side sidePosition, ok bool) {
	i := ply - (len(g.Moves) - len(g.sidePositions))
	if i < 0 || g.sidePositions[i].move == int16(game.None) {
		return sidePosition{}, false
	}
	return g.sidePositions[i], true
}
