package solver

import (
	"context"
	"fmt"

	"tengen/game"
)

// Table is the plan of a whole game: the score of every position that can be reached, found once and looked up from then
// on. It is immutable and safe for concurrent use.
type Table[S game.State[S]] struct {
	name   string
	scores map[game.Key]int16
}

// NewTable plays g through by minimax. It returns an error when the game has more than maxPositions positions, each of
// which takes about 50 bytes, or when ctx ends first.
func NewTable[S game.State[S]](ctx context.Context, g game.Game[S], maxPositions int) (*Table[S], error) {
	height, width := g.Board()
	p := planner[S]{cells: height * width, most: maxPositions, scores: map[game.Key]int16{}, watch: newWatch(ctx)}
	p.plan(g.Start(), nil)
	if p.watch.err != nil {
		return nil, p.watch.err
	}
	if p.full {
		return nil, fmt.Errorf("%s has more than the %d positions that a table may hold: raise the limit, or search instead (alphabeta:DEPTH, solver)",
			g.Name(), maxPositions)
	}
	return &Table[S]{g.Name(), p.scores}, nil
}

// Solve looks s up. A position that its game does not reach is an error.
func (t *Table[S]) Solve(_ context.Context, s S) (Score, error) {
	score, ok := t.scores[s.Key()]
	if !ok {
		return 0, fmt.Errorf("position %x of ply %d is not in the table of %s: it belongs to another game", s.Key(), s.Ply(), t.name)
	}
	return Score(score), nil
}

// Nodes is the number of positions in the table.
func (t *Table[S]) Nodes() uint64 { return uint64(len(t.scores)) }

// planner fills a table.
type planner[S game.State[S]] struct {
	cells, most int
	scores      map[game.Key]int16
	full        bool // there was no room for all positions
	watch       watch
}

// plan returns the score of s, and stores it and those of all positions after it; anything when it stops early. stack is
// for moves, and may be overwritten beyond its length.
func (p *planner[S]) plan(s S, stack []game.Action) Score {
	if score, ok := p.scores[s.Key()]; ok {
		return Score(score)
	}
	best, over := Final(s, p.cells)
	if !over {
		best = -Score(infinity)
		bottom := len(stack)
		stack = s.Legal(stack)
		for _, a := range stack[bottom:] {
			best = max(best, -p.plan(s.Play(a), stack))
			if p.full || p.watch.stopped() {
				return 0
			}
		}
	}
	if p.full = len(p.scores) == p.most; !p.full {
		p.scores[s.Key()] = int16(best)
	}
	return best
}
