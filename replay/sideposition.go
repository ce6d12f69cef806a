package replay

import (
	"slices"

	"tengen/game"
	"tengen/internal/random"
)

// This file is about positions beside the games. Self-play meets few positions in which somebody has just gone wrong,
// and the search asks about little else. KataGo forks games for such positions, and searches them (sidePositionProb of
// its self-play); here, where perfect play is known, they cost no search.

// sidePosition is a position beside a game, the one after another move.
type sidePosition struct {
	move   int16 // game.None: every move ends the game
	result int8  // of perfect play, for the side to move after the move
}

// sidePositions draws a move, among those that do not end the game, for each of the last searched positions of g, which
// solve has found, and tells the results of perfect play after it. It may be the move that was played.
func (w *Window[S]) sidePositions(g *Record, states []S) []sidePosition {
	rng := random.New(g.Seed, random.Beside, g.Number)
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
	results := w.perfect(next)
	for i := range all {
		if all[i].move != int16(game.None) {
			all[i].result, results = results[0], results[1:]
		}
	}
	return all
}

// sidePosition is the position beside that before a ply, if there is one.
func (g *windowGame) sidePosition(ply int) (beside sidePosition, ok bool) {
	i := ply - (len(g.Moves) - len(g.beside))
	if i < 0 || g.beside[i].move == int16(game.None) {
		return sidePosition{}, false
	}
	return g.beside[i], true
}
