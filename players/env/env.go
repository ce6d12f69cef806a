// Package env plays games as environments of reinforcement learning: reset, step, legal moves, observations, rewards, outcomes.
//
// A Vector steps n games at once. The caller plays one side of each and an opponent the other, which answers within the step; or
// there is no opponent, and the caller plays both sides in turn. Games is what a Vector does whatever its game is, and Env is
// the same for a single game. Package engine makes them by name, with any player as the opponent.
//
// All luck of a game follows from its seed and its number: the side that the caller plays, where that is left to chance, and the
// opponent's moves, as long as it does not go by the clock. Game i of a Vector with the seed s plays like that of an Env with the seed s+i,
// whatever the number of workers. A call that fails leaves all games as they were. Where nothing fails, a step allocates nothing
// but what the opponent does.
package env

import (
	"cmp"
	"context"

	"tengen/game"
	"tengen/internal/limits"
)

// Config says how games are played.
type Config struct {
	Games int    // that are stepped together, 1 to 65536
	Seed  uint64 // game i begins with the seed Seed+i
	// Side is what the caller plays against an opponent; Nobody: either, by chance, in each game.
	Side game.Side
	// AutoReset begins a new game by the first step after the end of one. Its action is ignored, and its reward is 0. (This is the
	// mode "next step" of Gymnasium's vector environments.) Otherwise a move after the end is an error.
	AutoReset bool
	// IllegalLoses makes an illegal move lose the game. Otherwise it is an error.
	IllegalLoses bool
	// Workers is the number of goroutines, 1 to 1024, each with an opponent of its own and an equal share of the games.
	Workers int
}

// Default is one game, in which chance gives the caller its side.
func Default() Config { return Config{Games: 1, Seed: 1, Workers: 1} }

// Validate names the first value that is out of range.
func (c Config) Validate() error {
	return cmp.Or(
		limits.Int("games", c.Games, 1, 1<<16),
		limits.Int("workers", c.Workers, 1, 1024),
	)
}

// Games are n games of one kind, stepped together. They are not safe for concurrent use. Methods with an index panic when there
// is no such game. Before the first Reset all games are at their start, and cannot be stepped.
type Games interface {
	// Len is n.
	Len() int
	// Shape is that of an observation: planes, rows and columns. Actions is the number of moves, legal or not.
	Shape() (planes int, board game.Size)
	Actions() int
	// Placement tells whether it is a placement game, see game.Placement.
	Placement() bool

	// Reset begins a new game in place of each of those listed, or of all if which is nil. Where it is the opponent's turn, it moves.
	Reset(ctx context.Context, which []int) error
	// ResetTo is Reset with a seed: what follows in game i is determined by seed+i.
	ResetTo(ctx context.Context, seed uint64, which []int) error
	// Step plays actions[i] in game i, and then the opponent's answer. game.None leaves a game alone. The error may be an
	// IllegalError, that of the opponent, or that of ctx.
	Step(ctx context.Context, actions []game.Action) error

	// Legal are the legal moves of a game in ascending order, none when it is over. They are overwritten by the next call of Step or
	// Reset.
	Legal(i int) []game.Action
	// Observe writes what a side sees of a game to planes [planes, rows, columns], 0s and 1s: the position as game.State.Encode
	// writes it for the side to move. Where it is not the side's turn, in placement games, own stones are still the first plane, and
	// the last one is still all ones for the first player; other games are always seen by the side to move.
	Observe(i int, side game.Side, planes []float32)
	// Viewer is the side that the caller plays; without an opponent, the side to move.
	Viewer(i int) game.Side
	// Reward is that of the last Step for the side that made the move: 1 or -1 when it was won or lost by it or by the opponent's
	// answer, otherwise 0.
	Reward(i int) float32
	// Outcome tells whether a game is over and, if so, its result for the first player: 1, 0 or -1.
	Outcome(i int) (first int8, over bool)
	// Moves are the moves since the start of a game. They are overwritten by the next call of Step or Reset.
	Moves(i int) []game.Action
	// Render shows a game as text, of which the last line ends in a line feed.
	Render(i int) string
}

// Env is a single game.
type Env struct {
	Games  Games // of which there is one
	action [1]game.Action
}

// Single makes an Env of a Games with one game, and panics if it has more.
func Single(g Games) *Env {
	if g.Len() != 1 {
		panic("env: a single game is made of several")
	}
	return &Env{Games: g}
}

// Reset begins a new game, see Games.Reset.
func (e *Env) Reset(ctx context.Context) error { return e.Games.Reset(ctx, nil) }

// ResetTo begins the first game of a seed, see Games.ResetTo.
func (e *Env) ResetTo(ctx context.Context, seed uint64) error { return e.Games.ResetTo(ctx, seed, nil) }

// Step plays a move and the opponent's answer, and returns the reward, see Games.Reward, and whether the game is over.
func (e *Env) Step(ctx context.Context, a game.Action) (reward float32, over bool, err error) {
	e.action[0] = a
	if err := e.Games.Step(ctx, e.action[:]); err != nil {
		return 0, false, err
	}
	_, over = e.Games.Outcome(0)
	return e.Games.Reward(0), over, nil
}

// Legal are the legal moves, see Games.Legal.
func (e *Env) Legal() []game.Action { return e.Games.Legal(0) }

// Observe writes what the caller sees, see Games.Observe.
func (e *Env) Observe(planes []float32) { e.Games.Observe(0, e.Games.Viewer(0), planes) }

// Outcome is the result, see Games.Outcome.
func (e *Env) Outcome() (first int8, over bool) { return e.Games.Outcome(0) }

// Render shows the game as text.
func (e *Env) Render() string { return e.Games.Render(0) }
