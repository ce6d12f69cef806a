package arena

import (
	"fmt"

	"tengen/game"
	"tengen/internal/random"
)

// Openings returns up to n sequences of that many random legal moves from the starting position. They lead to different
// positions, by game.Key, none of which is over. The seed determines them, and the first k are the same for every n >= k.
//
// Fewer than n come back when there are no more: tic-tac-toe has 72 openings of two plies. That is taken to be so after
// 1000 draws and 100 for each opening found have brought nothing new. It is an error if not one is found.
func Openings[S game.State[S]](g game.Game[S], plies, n int, seed uint64) ([][]game.Action, error) {
	rng := random.New(seed, random.Openings)
	seen := make(map[game.Key]bool)
	var openings [][]game.Action
	var legal []game.Action
	for misses := 0; len(openings) < n && misses < 1000+100*len(openings); misses++ {
		s := g.Start()
		moves := make([]game.Action, 0, plies)
		for legal = s.Legal(legal[:0]); len(moves) < plies && len(legal) > 0; legal = s.Legal(legal[:0]) {
			a := legal[rng.IntN(len(legal))]
			moves = append(moves, a)
			s = s.Play(a)
		}
		if len(legal) > 0 && !seen[s.Key()] {
			seen[s.Key()] = true
			openings = append(openings, moves)
			misses = 0
		}
	}
	if len(openings) == 0 {
		return nil, fmt.Errorf("no game of %s is still going on after %d random plies: use shorter openings", g.Name(), plies)
	}
	return openings, nil
}
