package grade

import (
	"context"
	"fmt"

	"tengen/game"
)

// Every returns one move sequence to each unfinished position that differs by game.Key, in depth-first order by
// ascending move. It returns an error if there are more than limit positions or if ctx ends.
func Every[S game.State[S]](ctx context.Context, g game.Game[S], limit int) (found [][]game.Action, err error) {
	seen := map[game.Key]bool{}
	var visit func(s S, moves []game.Action)
	visit = func(s S, moves []game.Action) {
		if _, over := s.Outcome(); over || seen[s.Key()] || len(found) > limit || ctx.Err() != nil {
			return
		}
		seen[s.Key()] = true
		moves = moves[:len(moves):len(moves)]
		found = append(found, moves)
		for _, a := range s.Legal(nil) {
			visit(s.Play(a), append(moves, a))
		}
	}
	visit(g.Start(), nil)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(found) > limit:
		return nil, fmt.Errorf("%s has more than %d positions: draw a sample of them, such as random:300", g.Name(), limit)
	}
	return found, nil
}
