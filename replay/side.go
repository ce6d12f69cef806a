package replay

import (
	"slices"

	"tengen/game"
	"tengen/internal/random"
)

// This file is about positions beside the games. Self-play meets few positions in which somebody has just gone wrong, and the search
// asks about little else. KataGo forks games for such positions, and searches them (sidePositionProb of its self-play); here, where
// perfect play is known, they cost no search.

// side is the position after another move than a game's.
type side struct {
	move   int16 // game.None: every move ends the game
	result int8  // of perfect play, for the side to move after the move
}

// sides draws a move for each of the last searched positions of g, which solve has found, among those that do not end the game, and
// tells what is to be expected after it. It may be the move that was played.
func (w *Window[S]) sides(g *Record, states []S) []side {
	rng := random.New(g.Seed, random.Side, g.Number)
	sides := make([]side, len(states))
	var next []S
	for i, s := range states {
		moves := slices.DeleteFunc(s.Legal(nil), func(a game.Action) bool {
			_, over := s.Play(a).Outcome()
			return over
		})
		sides[i].move = int16(game.None)
		if len(moves) > 0 {
			a := moves[rng.IntN(len(moves))]
			sides[i].move = int16(a)
			next = append(next, s.Play(a))
		}
	}
	results := w.perfect(next)
	for i := range sides {
		if sides[i].move != int16(game.None) {
			sides[i].result, results = results[0], results[1:]
		}
	}
	return sides
}

// side is the position beside that before a ply, if there is one.
func (g *windowGame) side(ply int) (side, bool) {
	i := ply - (len(g.Moves) - len(g.sides))
	if i < 0 || g.sides[i].move == int16(game.None) {
		return side{}, false
	}
	return g.sides[i], true
}
