package replay

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"tengen/game"
)

// total sums up games.
type total struct {
	positions uint64 // to learn from
	weight    uint64 // of the positions, in 1/FullWeight
}

// windowGame is a game, its learning targets, and the run's total up to its end.
type windowGame struct {
	*Record
	values []float32      // [Searched], see Config.valueTargets; nil: the outcome
	beside []sidePosition // of the last of the searched plies; empty without Config.SidePositions
	end    total
	// holders are those of Window.holders, nil until a batch asks for them.
	holders []game.Side
}

// z is the value target of a searched ply.
func (g *windowGame) z(ply int) float32 {
	if g.values == nil {
		return float32(g.OutcomeAt(ply))
	}
	return g.values[ply-g.Opening]
}

// Window holds the newest positions of a run and draws training batches from them. It is not safe for concurrent use.
//
// Games leave in the order in which they entered, each as a whole: after every Add, the oldest game is dropped while
// the others hold at least as many positions as Config asks for. So a full window holds that number or a little more,
// by less than the length of its oldest game. Only positions with a weight above 0 count.
type Window[S game.State[S]] struct {
	rules   game.Game[S]
	cfg     Config
	perfect Perfect[S]

	games []windowGame // oldest first
	// start is what the run had made by the end of the newest game that was dropped.
	start total

	planes []float32     // [Planes, H, W], scratch of Sample
	legal  []game.Action // scratch of Sample
}

// NewWindow returns an empty window. The configuration must be valid. perfect is asked about the positions of each game
// from Config.ExactPlies before the last ply that the game can have on, and with ExactPolicy and SidePositions about
// those after their moves; where ExactPlies is 0, it may be nil.
func NewWindow[S game.State[S]](rules game.Game[S], cfg Config, perfect Perfect[S]) *Window[S] {
	if err := cfg.Validate(); err != nil {
		panic("replay: " + err.Error())
	}
	return &Window[S]{
		rules:   rules,
		cfg:     cfg,
		perfect: perfect,
		planes:  make([]float32, game.InputLen(rules)),
		legal:   make([]game.Action, 0, rules.Actions()),
	}
}

// Len is the number of positions in the window that can be drawn.
func (w *Window[S]) Len() int { return int(w.Positions() - w.start.positions) }

// Games is the number of games in the window.
func (w *Window[S]) Games() int { return len(w.games) }

// Positions is the number of positions to learn from of all games ever added, see Record.Positions.
func (w *Window[S]) Positions() uint64 { return w.end().positions }

// weight is that of the positions in the window.
func (w *Window[S]) weight() uint64 { return w.end().weight - w.start.weight }

// end is what the run has made by the end of the newest game.
func (w *Window[S]) end() total {
	if len(w.games) == 0 {
		return w.start
	}
	return w.games[len(w.games)-1].end
}

// Add takes in finished games, the oldest first, and drops what has become too old. It refuses them all when one breaks
// the rules. That a game comes once is up to the caller.
func (w *Window[S]) Add(games ...*Record) error {
	own := make([]*Record, len(games))
	for i, g := range games {
		own[i] = g.clone()
	}
	if err := w.append(context.Background(), own); err != nil {
		return err
	}
	w.drop()
	return nil
}

// Restore makes the window what it was when it held these games, oldest first, of a run that had made that many
// positions. The games are the window's from then on. On an error, also when ctx ends first, the window is as it was:
// perfect play in all of them may take minutes.
func (w *Window[S]) Restore(ctx context.Context, positions uint64, games []*Record) error {
	held := uint64(0)
	for _, g := range games {
		held += uint64(g.Positions())
	}
	if held > positions {
		return fmt.Errorf("the window's games have %d positions, more than the %d of the whole run", held, positions)
	}
	restored := NewWindow(w.rules, w.cfg, w.perfect)
	restored.start.positions = positions - held
	if err := restored.append(ctx, games); err != nil {
		return err
	}
	restored.drop()
	*w = *restored
	return nil
}

// append adds games to the window if all of them follow the rules. It computes their targets on all cores, because
// perfect play takes longer than all else here. It checks ctx at each game; once ctx has ended, the window is invalid.
func (w *Window[S]) append(ctx context.Context, games []*Record) error {
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
	var cores errgroup.Group
	cores.SetLimit(runtime.GOMAXPROCS(0))
	for i := range w.games[first:] {
		g := &w.games[first+i]
		cores.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			states, results := w.solve(g.Record)
			g.values = w.cfg.valueTargets(g.Record, results)
			if len(states) == 0 {
				return nil
			}
			if w.cfg.ExactPolicy {
				w.keepValue(g.Record, states, results)
			}
			if w.cfg.SidePositions > 0 {
				g.beside = w.sidePositions(g.Record, states)
			}
			return nil
		})
	}
	return cores.Wait()
}

// drop forgets the games that are too old. The newest always stays, because the capacity is above 0.
func (w *Window[S]) drop() {
	positions := w.Positions()
	capacity := w.cfg.capacity(positions)
	for len(w.games) > 0 && positions-w.games[0].end.positions >= capacity {
		w.start = w.games[0].end
		w.games[0] = windowGame{}
		w.games = w.games[1:]
	}
}

// locate finds the position at which the weights of the window's positions, summed up from the oldest, exceed at, which
// is less than the weight of all: its game and its ply there.
func (w *Window[S]) locate(at uint64) (g *windowGame, ply int) {
	at += w.start.weight
	// The first game by whose end the sum exceeds at.
	i, _ := slices.BinarySearchFunc(w.games, at, func(g windowGame, at uint64) int {
		if g.end.weight > at {
			return 1
		}
		return -1
	})
	before := w.start
	if i > 0 {
		before = w.games[i-1].end
	}
	g, at = &w.games[i], at-before.weight
	for row, weight := range g.Weights {
		if at < uint64(weight) {
			return g, g.Opening + row
		}
		at -= uint64(weight)
	}
	panic("replay: a game's weights are not those it was added with")
}
