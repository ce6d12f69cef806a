// Package engine opens games by name, with their positions, players, measurements and what training takes from them.
// It hides the positions' generic type. Callbacks for progress may be nil. An InputError is a mistake in the request.
package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tengen/eval"
	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/conformance"
	"tengen/net"
	"tengen/players"
	"tengen/players/env"
)

// Game is one game. It is safe for concurrent use.
type Game interface {
	// Info describes the game.
	Info() Info

	// OnBoard opens the game with the same rules on another board. komi is the second player's points, nil for those
	// usual there; games without it ignore it. All errors are InputErrors.
	OnBoard(size game.Size, komi *float64) (Game, error)

	// Start returns the starting position.
	Start() Position
	// Replay returns the position after moves. An InputError names the first illegal move.
	Replay(moves []game.Action) (Position, error)
	// Parse is like Replay for the game's notation, such as "44353" or "h8 i9", with spaces or commas between moves.
	Parse(text string) (Position, error)
	// SetUp returns a position without history (see game.Setup). cells [Size.Cells()] go row by row from the top; last
	// may be game.None.
	SetUp(cells []game.Side, toMove game.Side, last game.Action) (Position, error)
	// ParseBoard is like SetUp for a board as text, such as "..O/.X./X.. X" (see game.ParseBoard).
	ParseBoard(text string) (Position, error)
	// Format returns the notation of moves from the start (see game.FormatMoves).
	Format(moves ...game.Action) string
	// ActionNames returns the notation of each action for each side (see game.ActionNames).
	ActionNames() map[game.Side][]string
	// Captions returns what the 1s of each plane mark, nil if the game does not say it (see game.Captioned).
	Captions() []string
	// Count counts the positions at each ply up to plies; 0 means all. It stops at yield's first error and returns it.
	Count(ctx context.Context, plies int, yield func(game.Census) error) error
	// Check checks whether the rules keep the contract of games (see conformance.Check).
	Check(perft []uint) conformance.Report

	// Player makes the player for a SPEC (see players.Spec). Errors name the SPEC.
	Player(s players.Spec, o PlayerOptions) (Player, error)
	// Think makes a player's Thinker.
	Think(p Player, o players.Options) (Thinker, error)
	// Analyze has a player answer questions in order, until the channel is closed or there is an error. It calls answer
	// from one goroutine. The channel should be buffered: what waits in it is analyzed together.
	Analyze(ctx context.Context, c AnalyzeConfig, p Player, questions <-chan Question, answer func(Question, *players.Analysis) error) error
	// Match has a player play against another. It calls progress after each game with the result so far, and returns this
	// result if an error ends it.
	Match(ctx context.Context, c MatchConfig, p, against Player, progress func(eval.MatchGame, eval.Result)) (eval.Result, error)
	// Grade grades a player, and a searching network also without search. progress gets the number of answers.
	Grade(ctx context.Context, c grade.Config, p Player, set grade.Set, progress func(done int)) (grade.Report, error)

	// Network prepares a model. It returns an error if the model cannot play the game.
	Network(m *net.Model, o PlayerOptions) (Network, error)
	// Solver makes the game's strongest solver.
	Solver(o SolverOptions) (Solver, error)
	// Problems returns positions for Grade. It calls progress before each step.
	Problems(ctx context.Context, c ProblemConfig, progress func(text string)) (grade.Set, error)
	// Environment makes games for reinforcement learning.
	Environment(c EnvironmentConfig) (env.Games, error)

	Trainable
}

// Player is a players.Player of one game. It is safe for concurrent use. Only its game's methods take it: other games'
// panic.
type Player interface {
	// String returns the SPEC, including the number of simulations.
	String() string
	// Close ends external engines that play for it.
	Close()
}

// InputError is a mistake in the request.
type InputError struct{ Err error }

// Error returns the text of Err.
func (e InputError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e InputError) Unwrap() error { return e.Err }

// OpenRecorded is like Open for a name in a file or from a server: its errors are not InputErrors.
func OpenRecorded(name string) (Game, error) {
	if family, _, _ := strings.Cut(name, ":"); familyOf(family) == nil {
		return nil, fmt.Errorf("game %.80q is unknown to this program: use one that has the game", name)
	}
	e, err := Open(name)
	if input := (InputError{}); errors.As(err, &input) {
		err = input.Err
	}
	return e, err
}

// InputErrorf returns a formatted InputError.
func InputErrorf(format string, a ...any) error { return InputError{fmt.Errorf(format, a...)} }
