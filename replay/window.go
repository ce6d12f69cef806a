package replay

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"tengen/game"
	"tengen/internal/limits"
)

// Config says how many positions the window holds. It may grow with the run: the first games are played by a model that
// knows nothing, and a window that is too large early on keeps teaching their mistakes.
type Config struct {
	// Window is the most positions that the window holds. AlphaGo Zero kept 500,000 games; for a small board some
	// 100,000 to 500,000 positions are usual. A position takes about 25 bytes and 4 for each move that its policy has;
	// 4 more with ValueMix, CutBlunders or ExactPlies, and 4 with SidePositions.
	Window int `json:"window" yaml:"window"`
	// MinWindow is the least that it holds before it drops anything.
	MinWindow int `json:"min_window" yaml:"min_window"`
	// WindowShare is the share of all positions of the run so far that the window holds, the newest, between MinWindow
	// and Window. 1: all that Window allows.
	WindowShare float64 `json:"window_share" yaml:"window_share"`

	// ValueMix is the share of the searches' values in what the value learns, the rest being the outcome of the game.
	// It rises from 0 with the number of the model that played, up to model ValueWarmup, because early values are
	// worthless. 0: the outcome alone, as AlphaZero did. See valueTargets for this and the next two.
	ValueMix    float64 `json:"value_mix" yaml:"value_mix"`
	ValueWarmup int     `json:"value_warmup" yaml:"value_warmup"`
	// ValueLambda is how much less each later value in the game counts than the one before: 0 takes the position's
	// search value, 1 the outcome.
	ValueLambda float64 `json:"value_lambda" yaml:"value_lambda"`
	// CutBlunders is the loss of value, in [0, 2], above which a move that the search did not prefer is a blunder: the
	// positions up to it learn nothing from the rest of the game. 0: never.
	CutBlunders float64 `json:"cut_blunders" yaml:"cut_blunders"`

	// ExactPlies is from how many plies before the last one possible the value learns the result of perfect play, see
	// NewWindow. 0: never.
	ExactPlies int `json:"exact_plies" yaml:"exact_plies"`
	// ExactPolicy is whether the policy of those positions learns only moves that keep what the position is worth.
	ExactPolicy bool `json:"exact_policy" yaml:"exact_policy"`
	// SidePositions is how often a sample of those positions is the one after a random move in its place, see
	// sidePositions. Its value alone is learned.
	SidePositions float64 `json:"side_positions" yaml:"side_positions"`

	// KeepGames is the number of the run's newest games that its database keeps, and more if the window needs more. 0
	// keeps all.
	KeepGames int `json:"keep_games" yaml:"keep_games"`
}

// Default is a window for small boards.
func Default() Config {
	return Config{
		Window: 400_000, MinWindow: 15_000, WindowShare: 0.5,
		ValueMix: 0.4, ValueWarmup: 5, ValueLambda: 0.8, CutBlunders: 0.25,
	}
}

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	const most = 1_000_000_000
	return limits.Check("replay",
		limits.Int("window", c.Window, 1, most),
		limits.Int("min_window", c.MinWindow, 1, c.Window),
		limits.Above("window_share", c.WindowShare, 0, 1),
		limits.Float("value_mix", c.ValueMix, 0, 1),
		limits.Int("value_warmup", c.ValueWarmup, 0, most),
		limits.Float("value_lambda", c.ValueLambda, 0, 1),
		limits.Float("cut_blunders", c.CutBlunders, 0, 2),
		limits.Int("exact_plies", c.ExactPlies, 0, most),
		limits.Float("side_positions", c.SidePositions, 0, 1),
		limits.Int("keep_games", c.KeepGames, 0, most),
	)
}

// capacity is the number of positions to hold when the run has made total.
func (c Config) capacity(total uint64) uint64 {
	share := uint64(c.WindowShare * float64(total))
	return min(max(share, uint64(c.MinWindow)), uint64(c.Window))
}

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
