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
	// or exact_plies, and 4 with side_positions.
	Window int `json:"window" default:"400000" range:"[1,1e9]"`
	// The window drops nothing before it holds this many positions.
	MinWindow int `json:"min_window" default:"15000" range:"[1,1e9]"`
	// Between min_window and window, it holds this share of all positions so far, the newest ones, because early games
	// teach a beginner's mistakes.
	WindowShare float64 `json:"window_share" default:"0.5" range:"(0,1]"`

	// The value target mixes the outcome with this share of the search values from the position on. 0: the outcome
	// alone, as in AlphaZero, which is noisy where moves are drawn by chance.
	ValueMix float64 `json:"value_mix" default:"0.8" range:"[0,1]"`
	// Number of the first model whose games get the full value_mix. It rises from 0 for games by model 0, because early
	// models' values are worthless. Games by model 0 are never mixed or cut.
	ValueWarmup int `json:"value_warmup" default:"5" range:"[0,1e9]"`
	// Weight of each search value in that mix relative to the value one ply earlier. 0: only the position's value; 1:
	// the outcome.
	ValueLambda float64 `json:"value_lambda" default:"0.8" range:"[0,1]"`
	// A move drawn against the search's preference that loses more than this is a blunder: positions up to it learn the
	// search's value there, not what followed. Leela Chess Zero calls this deblundering. 0: never.
	CutBlunders float64 `json:"cut_blunders" default:"0.25" range:"[0,2]"`

	// Positions from which a game can last at most this many more plies learn the result of perfect play instead of the
	// game's outcome. Earlier positions learn the first such result. Leela Chess Zero does so with endgame tables. The
	// game's solver finds the results, so it must be quick there: Connect Four allows up to 30. Solving one game's
	// positions takes about 2 ms at 26 and 13 ms at 30. 0: none.
	ExactPlies int `json:"exact_plies" range:"[0,1e9]"`
	// In the positions of exact_plies, the policy learns only moves that keep the result, however often the search
	// chose others. Solving then takes about twice as long.
	ExactPolicy bool `json:"exact_policy"`
	// How often a sample from the positions of exact_plies is replaced by the position after a random move, which
	// teaches only its value. Games rarely contain a position just after a mistake, but searches evaluate mostly
	// those.
	SidePositions float64 `json:"side_positions" range:"[0,1]"`

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
	share := uint64(c.WindowShare * float64(total))
	return min(max(share, uint64(c.MinWindow)), uint64(c.Window))
}
