// Package engine opens games by name: their positions, players and measurements. The terminal, the web server and the protocols
// under doors use it; package run trains.
//
// Below this package, code is generic over a game's position type. A Game erases that type: positions and actions are plain values.
//
// Nothing here prints or reads flags. Callbacks report progress and may be nil. An InputError is a mistake in a request; other
// errors concern the work or the contents of files.
package engine

import (
	"context"
	"errors"
	"fmt"

	"tengen/eval"
	"tengen/eval/grade"
	"tengen/game"
	"tengen/net"
	"tengen/players"
)

// Game does what can be done with one game. It is safe for concurrent use.
type Game interface {
	// Info describes the game.
	Info() Info

	// Start is the starting position.
	Start() Position
	// Replay returns the position after moves from the start. An InputError names the first illegal move.
	Replay(moves []game.Action) (Position, error)
	// Parse is Replay of moves in the game's notation, "44353" or "h8 i9".
	Parse(text string) (Position, error)
	// SetUp returns a position without the moves that led there, see game.Setup. cells [Size.Cells()] go row by row from the
	// top; last may be game.None.
	SetUp(cells []game.Side, toMove game.Side, last game.Action) (Position, error)
	// Format writes moves in the game's notation.
	Format(moves ...game.Action) string
	// Count counts positions ply by ply up to a ply, or to the end of the game for 0. It stops when yield returns an error.
	Count(ctx context.Context, plies int, yield func(game.Census) error) error

	// Player makes the player of a SPEC. The error names the SPEC.
	Player(s players.Spec, o PlayerOptions) (Player, error)
	// Network makes a model play this game. The error says why it cannot.
	Network(m *net.Model, o PlayerOptions) (Network, error)
	// Solver makes the strongest solver of the game.
	Solver(o SolverOptions) (Solver, error)
	// Problems returns an exam, or reads or draws positions and solves them, for Player.Grade.
	Problems(ctx context.Context, c ProblemConfig, progress func(text string)) (grade.Set, error)
	// Environment makes a reinforcement learning environment.
	Environment(c EnvironmentConfig) (Environment, error)
}

// Player is a player of one game. It is safe for concurrent use. Match panics if against plays another game.
type Player interface {
	// Name is the SPEC, with the simulations of a network that the SPEC leaves to the model.
	Name() string
	// Think makes a thinker, which searches one position at a time.
	Think(o players.Options) (Thinker, error)
	// Analyze answers questions in order until the channel is closed, each as soon as possible. It calls answer on its own
	// goroutine and stops when answer returns an error. The sender must stop when Analyze returns.
	Analyze(ctx context.Context, c AnalyzeConfig, questions <-chan Question, answer func(Question, *players.Analysis) error) error
	// Match calls progress with the result so far after each game. It returns that result with an error, too.
	Match(ctx context.Context, c MatchConfig, against Player, progress func(eval.Result)) (eval.Result, error)
	// Grade grades the player and, for a network that searches, also its bare policy.
	Grade(ctx context.Context, c grade.Config, set grade.Set, progress func(done int)) (grade.Report, error)
}

// InputError is a mistake in a request: a name, a number, a configuration. The work has not begun.
type InputError struct{ Err error }

// Error implements error.
func (e InputError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e InputError) Unwrap() error { return e.Err }

// OpenRecorded is Open for a name from a file or a server. Its errors are not InputErrors.
func OpenRecorded(name string) (Game, error) {
	e, err := Open(name)
	if input := (InputError{}); errors.As(err, &input) {
		err = input.Err
	}
	return e, err
}

// silent returns callback, or a function that does nothing if it is nil.
func silent[T any](callback func(T)) func(T) {
	if callback == nil {
		return func(T) {}
	}
	return callback
}

// asInput marks an error, unless it is nil.
func asInput(err error) error {
	if err == nil {
		return nil
	}
	return InputError{err}
}

// InputErrorf makes an InputError.
func InputErrorf(format string, a ...any) error { return InputError{fmt.Errorf(format, a...)} }
