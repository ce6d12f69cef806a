package replay

import (
	"context"
	"runtime"
	"sort"

	"tengen/game"
	"tengen/internal/parallel"
)

// total counts from a run's first game, or weight from a restored window's.
type total struct {
	positions uint64 // with a weight above 0
	weight    uint64 // of the positions, in 1/FullWeight
}

// windowGame is a game with its learning targets.
type windowGame struct {
	*Record
	values []float32 // [Searched], for the side to move at each ply, see Config.valueTargets; nil: the outcome
	end    total     // up to and including this game
	owners *owners   // nil until a batch needs them
}

// z returns the value target of a searched ply, in [-1, 1] for the side to move at the ply.
func (g *windowGame) z(ply int) float32 {
	if g.values == nil {
		return float32(g.OutcomeAt(ply))
	}
	return g.values[ply-g.Opening]
}

// Window is the replay buffer: it holds the newest positions of a run and draws training batches from them. It is not
// safe for concurrent use.
//
// Games enter and leave in order: Add drops the oldest games as long as the others hold at least the positions that
// Config asks for. Only positions with a weight above 0 count.
type Window[S game.State[S]] struct {
	rules     game.Game[S]
	cfg       Config
	tablebase Tablebase[S]

	games []windowGame // oldest first
	// start is the total up to the end of the newest dropped game.
	start total

	picks   []pick       // scratch of Sample and Newest
	writers []*writer[S] // one for each core
}

// NewWindow returns an empty window. The configuration must be valid. tablebase is called for positions from which at
// most Config.ExactPlies plies are possible, and for positions after their moves. It may be nil if ExactPlies is 0.
func NewWindow[S game.State[S]](rules game.Game[S], cfg Config, tablebase Tablebase[S]) *Window[S] {
	w := &Window[S]{rules: rules, cfg: cfg, tablebase: tablebase}
	for range runtime.GOMAXPROCS(0) {
		w.writers = append(w.writers, newWriter(rules))
	}
	return w
}

// Len returns the number of positions in the window.
func (w *Window[S]) Len() int { return int(w.Positions() - w.start.positions) }

// Games returns the number of games in the window.
func (w *Window[S]) Games() int { return len(w.games) }

// Oldest returns the number of the window's first game, 0 for an empty window.
func (w *Window[S]) Oldest() uint64 {
	if len(w.games) == 0 {
		return 0
	}
	return w.games[0].Number
}

// Positions returns the number of positions to learn from in all games ever added, see Record.Positions.
func (w *Window[S]) Positions() uint64 { return w.end().positions }

func (w *Window[S]) weight() uint64 { return w.end().weight - w.start.weight }

// end returns the total up to the end of the newest game.
func (w *Window[S]) end() total { return w.before(len(w.games)) }

// before returns the total up to the start of the window's game i.
func (w *Window[S]) before(i int) total {
	if i == 0 {
		return w.start
	}
	return w.games[i-1].end
}

// Add adds copies of finished games, oldest first, and drops games that have become too old. If one breaks the rules,
// it adds none.
func (w *Window[S]) Add(games ...*Record) error {
	own := make([]*Record, len(games))
	for i, g := range games {
		own[i] = g.clone()
	}
	return w.add(context.Background(), own)
}

// Restore fills the window with the games, oldest first, that it held when the run had the given number of
// positions. Games played in place of others may be longer: then the run has more positions. The window takes ownership
// of the games. Solving games may take minutes. If ctx ends or on another error, the window stays unchanged.
func (w *Window[S]) Restore(ctx context.Context, positions uint64, games []*Record) error {
	held := uint64(0)
	for _, g := range games {
		held += uint64(g.Positions())
	}
	restored := NewWindow(w.rules, w.cfg, w.tablebase)
	restored.start.positions = positions - min(positions, held)
	if err := restored.add(ctx, games); err != nil {
		return err
	}
	*w = *restored
	return nil
}

// add adds games to the window if all of them follow the rules, computes their targets on all cores, and drops games
// that have become too old. If ctx ends, the window is left invalid. Only Restore passes a ctx that can end, for a
// window that it then throws away.
func (w *Window[S]) add(ctx context.Context, games []*Record) error {
	for _, g := range games {
		if err := Validate(w.rules, g); err != nil {
			return err
		}
	}
	first := len(w.games)
	end := w.end()
	for _, g := range games {
		end.positions += uint64(g.Positions())
		end.weight += g.weight()
		w.games = append(w.games, windowGame{Record: g, end: end})
	}
	parallel.For(len(games), func(i int) {
		if ctx.Err() != nil {
			return
		}
		g := &w.games[first+i]
		states, results := w.solve(g.Record)
		g.values = w.cfg.valueTargets(g.Record, results)
		if len(states) > 0 {
			w.dropLosingMoves(g.Record, states, results)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	w.drop()
	return nil
}

// drop removes the games that are too old. The newest always stays, because the capacity is above 0.
func (w *Window[S]) drop() {
	positions := w.Positions()
	capacity := w.cfg.capacity(positions)
	for len(w.games) > 0 && positions-w.games[0].end.positions >= capacity {
		w.start = w.games[0].end
		w.games[0] = windowGame{}
		w.games = w.games[1:]
	}
}

// locate returns the game and ply at which the sum of the window's weights, from the oldest position on, first exceeds
// at. at must be less than their total.
func (w *Window[S]) locate(at uint64) (g *windowGame, ply int) {
	at += w.start.weight
	i := sort.Search(len(w.games), func(i int) bool { return w.games[i].end.weight > at })
	g, at = &w.games[i], at-w.before(i).weight
	for row, weight := range g.Weights {
		if at < uint64(weight) {
			return g, g.Opening + row
		}
		at -= uint64(weight)
	}
	panic("replay: a game's weights are not those it was added with")
}
