package replay

import "fmt"

// Config says how many positions the window holds. It may grow with the run: the first games are played by a model that
// knows nothing, and a window that is too large early on keeps teaching their mistakes.
type Config struct {
	// Window is the most positions that the window holds. AlphaGo Zero kept 500,000 games; for a small board some 100,000
	// to 500,000 positions are usual. A position takes about 20 bytes and 6 for each move that the search visited.
	Window int `mapstructure:"window" json:"window" yaml:"window"`
	// MinWindow is the least that it holds before it drops anything.
	MinWindow int `mapstructure:"min_window" json:"min_window" yaml:"min_window"`
	// WindowShare is the share of all positions of the run so far that the window holds, the newest, between MinWindow and
	// Window. 1: all that Window allows.
	WindowShare float64 `mapstructure:"window_share" json:"window_share" yaml:"window_share"`
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
