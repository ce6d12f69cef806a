// Package env plays games as reinforcement learning environments.
//
// A Vector steps n games at once. The caller plays one side of each game and an opponent answers within the step.
// Without an opponent, the caller plays both sides. Package engine makes a Vector by the name of its game.
//
// A game's seed and number determine its randomness, unless the opponent has a time limit. Game i of a Vector with seed
// s plays like the only game of a Vector with seed s+i, whatever the number of workers. A call that fails leaves all
// games unchanged, unless the opponent failed or ctx ended meanwhile: then all games must be reset.
package env

import (
	"cmp"
	"context"

	"tengen/game"
	"tengen/internal/limits"
)

// Config configures a Vector.
type Config struct {
	Games int    // number of games stepped together, 1 to 65536
	Seed  uint64 // game i starts from the seed Seed+i
	// Side is the caller's side against an opponent; Nobody means a random side in each game.
	Side game.Side
	// AutoReset makes the first step after a game's end begin a new game; its action is ignored and its reward is 0
	// (the "next step" mode of Gymnasium's vector environments). Otherwise a move after the end is an error.
	AutoReset bool
	// IllegalLoses makes an illegal move lose the game. Otherwise it is an error.
	IllegalLoses bool
	// Workers is the number of opponents that move at once, 1 to 1024.
	Workers int
}

// Default returns the Config for one game with a random side.
func Default() Config { return Config{Games: 1, Seed: 1, Workers: 1} }

// Validate returns an error that names the first value out of range.
func (c Config) Validate() error {
	return cmp.Or(
		limits.Int("games", c.Games, 1, 1<<16),
		limits.Int("workers", c.Workers, 1, 1024),
	)
}

// Games are n games stepped together. They are not safe for concurrent use. Methods panic if an index is out of range.
// Step fails before the first Reset.
type Games interface {
	// Len returns n.
	Len() int
	// Shape returns the shape of an observation.
	Shape() (planes int, board game.Size)

	// Reset begins a new game at each index in which, or at all if which is nil. The opponent moves if it has the first
	// turn. Unless seed is nil, *seed+i determines the further play of game i.
	Reset(ctx context.Context, seed *uint64, which []int) error
	// Step plays actions[i] and the opponent's answer in game i. game.None leaves a game unchanged. Step returns an
	// error for an illegal move, for a failure of the opponent, and if ctx ends.
	Step(ctx context.Context, actions []game.Action) error

	// Legal returns the legal moves in ascending order, none if the game is over. The next Step or Reset overwrites
	// them.
	Legal(i int) []game.Action
	// Observe writes a side's view to planes [planes, rows, columns] as 0s and 1s, in the encoding of game.State.Encode
	// as if the side were to move. Positions that are no game.Placement are always encoded for the side to move.
	Observe(i int, side game.Side, planes []float32)
	// Viewer returns the caller's side; without an opponent, the side to move.
	Viewer(i int) game.Side
	// Reward returns the reward of the last Step for the side that moved: 1 or -1 if the step won or lost the game,
	// else 0.
	Reward(i int) float32
	// Outcome reports whether a game is over and, if so, its result for the first player: 1, 0 or -1.
	Outcome(i int) (first int8, over bool)
	// Moves returns a game's moves. The next Step or Reset overwrites them.
	Moves(i int) []game.Action
}
