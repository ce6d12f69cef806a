package solver

import (
	"context"
	"fmt"

	"tengen/game"
)

// Minimax searches every line of play to its end, as a reference for other solvers. It is not safe for concurrent use.
type Minimax[S game.State[S]] struct {
	maxPlies int
	line     *line[S]
	table    *transpositionTable
	watch    watch
	nodes    uint64
}

// NewMinimax returns a solver for g.
func NewMinimax[S game.State[S]](g game.Game[S], c Config) *Minimax[S] {
	return &Minimax[S]{maxPlies: g.MaxPlies(), line: newLine(g, c.Symmetries), table: newTranspositionTable(c)}
}

// Solve returns the score of s, a position of the solver's game.
func (m *Minimax[S]) Solve(ctx context.Context, s S) (Score, error) {
	m.watch = newWatch(ctx)
	score := m.search(m.line.start(s))
	return score, m.watch.err
}

// Nodes returns the number of positions visited so far.
func (m *Minimax[S]) Nodes() uint64 { return m.nodes }

// search returns the score of the position at ply, undefined once stopped.
func (m *Minimax[S]) search(ply int) Score {
	m.nodes++
	if m.watch.stopped() {
		return 0
	}
	f := &m.line.frames[ply]
	if score, over := Final(f.images[0], m.maxPlies); over {
		return score
	}
	var key game.Key
	if m.table != nil {
		key, _ = m.line.key(ply)
		if e := m.table.get(key); e != nil {
			return e.value.Score()
		}
	}
	best := -Score(infinity)
	f.moves = f.images[0].Legal(f.moves[:0])
	for _, a := range f.moves {
		m.line.play(ply, a)
		best = max(best, -m.search(ply+1))
	}
	if m.table != nil && m.watch.err == nil {
		m.table.put(entry{key: key, value: valueOf(best), depth: int16(m.maxPlies - ply)})
	}
	return best
}

// AlphaBeta solves positions by alpha-beta search to the end of the game. It keeps its table between positions and is
// not safe for concurrent use.
type AlphaBeta[S game.State[S]] struct{ negamax *negamax[S] }

// NewAlphaBeta returns a solver for g.
func NewAlphaBeta[S game.State[S]](g game.Game[S], c Config) *AlphaBeta[S] {
	return &AlphaBeta[S]{newNegamax(g, c)}
}

// Solve returns the score of s, a position of the solver's game.
func (ab *AlphaBeta[S]) Solve(ctx context.Context, s S) (Score, error) {
	n := ab.negamax
	n.watch = newWatch(ctx)
	ply := n.line.start(s)
	value := n.search(ply, n.maxPlies-ply, -infinity, infinity)
	return value.Score(), n.watch.err
}

// Nodes returns the number of positions visited so far.
func (ab *AlphaBeta[S]) Nodes() uint64 { return ab.negamax.nodes }

// Tablebase holds the score of every reachable position. It is immutable and safe for concurrent use.
type Tablebase[S game.State[S]] struct {
	name   string
	scores map[game.Key]int16
}

// Solve looks s up. It returns an error for a position that play cannot reach.
func (t *Tablebase[S]) Solve(_ context.Context, s S) (Score, error) {
	score, ok := t.scores[s.Key()]
	if !ok {
		return 0, fmt.Errorf("position %x of ply %d is not in the table of %s: no play of that game leads to it", s.Key(), s.Ply(), t.name)
	}
	return Score(score), nil
}

// Nodes returns the number of positions in the table.
func (t *Tablebase[S]) Nodes() uint64 { return uint64(len(t.scores)) }

// Planner builds a Tablebase by minimax, in one call or several. It is not safe for concurrent use.
type Planner[S game.State[S]] struct {
	game         game.Game[S]
	maxPositions int
	scores       map[game.Key]int16
	full         bool // there are more than maxPositions
	watch        watch
	table        *Tablebase[S] // nil until complete
}

// NewPlanner returns a planner for g with at most maxPositions, of about 50 bytes each.
func NewPlanner[S game.State[S]](g game.Game[S], maxPositions int) *Planner[S] {
	return &Planner[S]{game: g, maxPositions: maxPositions, scores: map[game.Key]int16{}}
}

// Plan returns the complete table. When ctx ends first, it returns an error, and the next call resumes.
func (p *Planner[S]) Plan(ctx context.Context) (*Tablebase[S], error) {
	if p.table == nil && !p.full {
		p.watch = newWatch(ctx)
		p.plan(p.game.Start(), nil)
		switch {
		case p.full:
			p.scores = nil
		case p.watch.err != nil:
			return nil, p.watch.err
		default:
			p.table = &Tablebase[S]{p.game.Name(), p.scores}
		}
	}
	if p.full {
		return nil, fmt.Errorf("%s has more than the %d positions that a table may hold: raise the limit, or search instead (alphabeta:DEPTH, solver)",
			p.game.Name(), p.maxPositions)
	}
	return p.table, nil
}

// plan stores the scores of s and all positions after it, and returns the score of s, undefined when it stops early. It
// may overwrite the spare capacity of stack.
func (p *Planner[S]) plan(s S, stack []game.Action) Score {
	if score, ok := p.scores[s.Key()]; ok {
		return Score(score)
	}
	best, over := Final(s, p.game.MaxPlies())
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
	if p.full = len(p.scores) == p.maxPositions; !p.full {
		p.scores[s.Key()] = int16(best)
	}
	return best
}
