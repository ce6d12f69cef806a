package solver

import (
	"context"

	"tengen/game"
)

// Counts is the work of a search.
type Counts struct {
	Nodes         uint64 // positions visited, the root included, and again at each visit
	TerminalTests uint64 // positions of which it was asked whether the game is over
	Games         uint64 // visited positions where it was
}

// Minimax looks at every line of play to its end. It is slow and plain: the truth that other solvers are held against. It
// is not safe for concurrent use.
type Minimax[S game.State[S]] struct {
	cells  int
	line   *line[S]
	table  *transpositions // nil: none
	watch  watch
	counts Counts
}

// NewMinimax returns a solver for one game. It panics when the configuration is not valid.
func NewMinimax[S game.State[S]](g game.Game[S], c Config) *Minimax[S] {
	if err := c.Validate(); err != nil {
		panic("solver: " + err.Error())
	}
	l := newLine(g, c.Symmetries)
	return &Minimax[S]{cells: len(l.frames) - 1, line: l, table: newTranspositions(c)}
}

// Solve returns the score of s, which must belong to the solver's game.
func (m *Minimax[S]) Solve(ctx context.Context, s S) (Score, error) {
	m.watch = newWatch(ctx)
	score := m.search(m.line.start(s))
	return score, m.watch.err
}

// Nodes is the number of positions visited so far.
func (m *Minimax[S]) Nodes() uint64 { return m.counts.Nodes }

// Counts is the work done so far.
func (m *Minimax[S]) Counts() Counts { return m.counts }

// search returns the score of the position at ply, anything when the watch has stopped it.
func (m *Minimax[S]) search(ply int) Score {
	m.counts.Nodes++
	if m.watch.stopped() {
		return 0
	}
	f := &m.line.frames[ply]
	m.counts.TerminalTests++
	if score, over := Final(f.images[0], m.cells); over {
		m.counts.Games++
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
		m.table.put(entry{key: key, value: valueOf(best), depth: int16(m.cells - ply)})
	}
	return best
}
