package replay

import (
	"fmt"
	"slices"

	"tengen/game"
)

// Config says how many positions the window holds. It may grow with the run: the first games are played by a model that
// knows nothing, and a window that is too large early on keeps teaching their mistakes.
type Config struct {
	// Window is the most positions that the window holds. AlphaGo Zero kept 500,000 games; for a small board some 100,000
	// to 500,000 positions are usual. A position takes about 20 bytes and 6 for each move that the search visited.
	Window int `json:"window" yaml:"window"`
	// MinWindow is the least that it holds before it drops anything.
	MinWindow int `json:"min_window" yaml:"min_window"`
	// WindowShare is the share of all positions of the run so far that the window holds, the newest, between MinWindow and
	// Window. 1: all that Window allows.
	WindowShare float64 `json:"window_share" yaml:"window_share"`
}

// Default is a window for small boards.
func Default() Config {
	return Config{Window: 200_000, MinWindow: 10_000, WindowShare: 0.5}
}

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	const most = 1_000_000_000
	switch {
	case c.Window < 1 || c.Window > most:
		return fmt.Errorf("replay.window is %d, allowed are 1 to %d positions", c.Window, most)
	case c.MinWindow < 1 || c.MinWindow > c.Window:
		return fmt.Errorf("replay.min_window is %d, allowed are 1 to replay.window (%d)", c.MinWindow, c.Window)
	case !(c.WindowShare > 0 && c.WindowShare <= 1):
		return fmt.Errorf("replay.window_share is %v, allowed are numbers above 0 up to 1", c.WindowShare)
	}
	return nil
}

// capacity is the number of positions to hold when the run has made total.
func (c Config) capacity(total uint64) uint64 {
	share := uint64(c.WindowShare * float64(total))
	return min(max(share, uint64(c.MinWindow)), uint64(c.Window))
}

// Window holds the newest positions of a run and draws training batches from them. It is not safe for concurrent use.
//
// Games leave in the order in which they entered, each as a whole: after every Add, the oldest game is dropped for as long
// as the remaining ones hold at least as many positions as Config asks for. So a full window holds that number or a little
// more, by less than the length of its oldest game.
type Window[S game.State[S]] struct {
	rules game.Game[S]
	cfg   Config

	games []*Record // oldest first
	ends  []uint64  // [games]: how many positions the run had made by the end of each
	start uint64    // how many of them are in games dropped since

	planes []float32     // [Planes, H, W], scratch of Sample
	legal  []game.Action // scratch of Sample
}

// NewWindow returns an empty window. The configuration must be valid.
func NewWindow[S game.State[S]](rules game.Game[S], cfg Config) *Window[S] {
	if err := cfg.Validate(); err != nil {
		panic("replay: " + err.Error())
	}
	return &Window[S]{
		rules:  rules,
		cfg:    cfg,
		planes: make([]float32, game.InputLen(rules)),
		legal:  make([]game.Action, 0, rules.Actions()),
	}
}

// Len is the number of positions in the window.
func (w *Window[S]) Len() int { return int(w.Positions() - w.start) }

// Games is the number of games in the window.
func (w *Window[S]) Games() int { return len(w.games) }

// Positions is the number of positions of all games ever added.
func (w *Window[S]) Positions() uint64 {
	if len(w.ends) == 0 {
		return w.start
	}
	return w.ends[len(w.ends)-1]
}

// Add takes in a finished game and drops what has become too old. It refuses a game that breaks the rules, and changes
// nothing then. That a game comes once is up to the caller.
func (w *Window[S]) Add(g *Record) error {
	if err := w.append(g.clone()); err != nil {
		return err
	}
	w.drop()
	return nil
}

// Restore makes the window what it was when it held these games, oldest first, of a run that had made that many positions.
// The games are the window's from then on. On an error the window is as it was.
func (w *Window[S]) Restore(positions uint64, games []*Record) error {
	restored := NewWindow(w.rules, w.cfg)
	for _, g := range games {
		if err := restored.append(g); err != nil {
			return err
		}
	}
	held := restored.Positions()
	if held > positions {
		return fmt.Errorf("the window's games have %d positions, more than the %d of the whole run", held, positions)
	}
	restored.start = positions - held
	for i := range restored.ends {
		restored.ends[i] += restored.start
	}
	restored.drop()
	*w = *restored
	return nil
}

// append adds a game that belongs to the window, if it follows the rules.
func (w *Window[S]) append(g *Record) error {
	if err := Validate(w.rules, g); err != nil {
		return err
	}
	w.ends = append(w.ends, w.Positions()+uint64(g.Positions()))
	w.games = append(w.games, g)
	return nil
}

// drop forgets the games that are too old. The newest always stays, because the capacity is above 0.
func (w *Window[S]) drop() {
	total := w.Positions()
	capacity := w.cfg.capacity(total)
	for len(w.games) > 0 && total-w.ends[0] >= capacity {
		w.start = w.ends[0]
		w.games[0] = nil
		w.games, w.ends = w.games[1:], w.ends[1:]
	}
}

// locate finds the position i of the window, counted from the oldest: its game and its ply there.
func (w *Window[S]) locate(i int) (g *Record, ply int) {
	position := w.start + uint64(i)
	at, _ := slices.BinarySearch(w.ends, position+1) // the first game that ends behind the position
	g = w.games[at]
	return g, len(g.Moves) - int(w.ends[at]-position)
}
