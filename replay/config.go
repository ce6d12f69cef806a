package replay

import (
	"cmp"

	"tengen/internal/limits"
)

// Config sizes the window and says what its positions teach. The window may grow with the run, because the first games
// come from a model that knows nothing, and a large window would keep teaching their mistakes. config.yaml takes its
// comments from here, so they call fields by their keys.
type Config struct {
	// The most positions the window holds. AlphaGo Zero kept 500,000 games; small boards do well with 100000 to 500000
	// positions. A position takes about 25 bytes and 4 for each move in its policy; 4 more with value_mix, cut_blunders
	// or exact_plies.
	Window int `json:"window" default:"400000" range:"[1,1e9]"`
	// The window drops nothing before it holds this many positions. Between min_window and window it holds the newer half
	// of all positions so far, because early games teach a beginner's mistakes.
	MinWindow int `json:"min_window" default:"15000" range:"[1,1e9]"`

	// The value target mixes the outcome with this share of the search values from the position on, each of which weighs
	// 0.8 times as much as the one before. Games by model 0 have none of it and those by model 5 all, because early
	// models' values are worthless; with train.from, too, models count from 0. 0: the outcome alone, as in AlphaZero,
	// which is noisy where moves are drawn by chance.
	ValueMix float64 `json:"value_mix" default:"0.8" range:"[0,1]"`
	// A move drawn against the search's preference that loses more than this is a blunder: positions up to it learn the
	// search's value there, not what followed. Leela Chess Zero calls this deblundering. Games by model 0 are never cut.
	// 0: never.
	CutBlunders float64 `json:"cut_blunders" default:"0.25" range:"[0,2]"`

	// Positions from which a game can last at most this many more plies learn the result of perfect play instead of the
	// game's outcome, and in the policy only the moves that keep it. Earlier positions learn the first such result. Leela
	// Chess Zero does so with endgame tables. The game's solver finds the results, so it must be quick there: Connect Four
	// allows up to 30. Solving one game's positions takes about 4 ms at 26 and 26 ms at 30. 0: none.
	ExactPlies int `json:"exact_plies" range:"[0,1e9]"`

	// The number of newest games that games.db keeps, or more if the window needs them. 0: all.
	KeepGames int `json:"keep_games" range:"[0,1e9]"`
}

// Default returns a window for small boards.
func Default() Config { return limits.Default[Config]() }

// Validate returns an error that names the first key out of range.
func (c Config) Validate() error {
	return cmp.Or(limits.Check("replay", c), limits.Int("replay.min_window", c.MinWindow, 1, c.Window))
}

// capacity returns the number of positions that the window holds when the run has made total positions.
func (c Config) capacity(total uint64) uint64 {
	return min(max(total/2, uint64(c.MinWindow)), uint64(c.Window))
}
