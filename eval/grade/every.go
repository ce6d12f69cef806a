package grade

import (
	"context"
	"fmt"

	"tengen/game"
)

// Every returns, for each unfinished position of g that differs by game.Key, one sequence of moves that leads to it.
// The order is depth-first by ascending move. Every returns an error if there are more than most positions or if ctx
// ends.
func Every[S game.State[S]](ctx context.Context, g game.Game[S], most int) ([][]game.Action, error) {
	e := every[S]{ctx: ctx, seen: map[game.Key]bool{}, most: most}
	e.visit(g.Start(), nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(e.found) > most {
		return nil, fmt.Errorf("%s has more than %d positions: draw a sample of them", g.Name(), most)
	}
	return e.found, nil
}

type every[S game.State[S]] struct {
	ctx   context.Context
	seen  map[game.Key]bool
	found [][]game.Action
	most  int
}

// visit adds s, reached by moves, and all positions after it.
func (e *every[S]) visit(s S, moves []game.Action) {
	if _, over := s.Outcome(); over || e.seen[s.Key()] || len(e.found) > e.most || e.ctx.Err() != nil {
		return
	}
	e.seen[s.Key()] = true
	moves = moves[:len(moves):len(moves)]
	e.found = append(e.found, moves)
	for _, a := range s.Legal(nil) {
		e.visit(s.Play(a), append(moves, a))
	}
}
