// Package engine is a game by its name: its positions, the players that play it, and what can be measured of them. The terminal, a
// browser and protocols are doors to it.
//
// Below this package, code is generic over a game's type of position; here the type is erased. A Game is bound to one game,
// Positions and Actions are plain values, and results (eval.Result, grade.Report, players.Analysis) have had no type parameter
// anyway. Package run trains what is played here.
//
// Nothing here prints, reads flags or knows of a terminal. Progress is reported to callbacks, which may be nil. An InputError is a
// mistake in what was asked for; all other errors are about the work, or about what files hold.
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
	// Replay returns the position after moves from the start. An InputError names the first illegal one.
	Replay(moves []game.Action) (Position, error)
	// Parse is Replay of moves in the game's notation, "44353" or "h8 i9".
	Parse(text string) (Position, error)
	// SetUp returns a position without the moves that led there, see game.Setup. cells [Size.Cells()] go row by row from the
	// top; last may be game.None.
	SetUp(cells []game.Side, toMove game.Side, last game.Action) (Position, error)
	// Format writes moves in the game's notation.
	Format(moves ...game.Action) string
	// Count counts the game's positions ply by ply, from the start to a ply, 0 for the end of the game. It calls yield for each
	// ply until yield returns an error.
	Count(ctx context.Context, plies int, yield func(game.Census) error) error

	// Player makes the player of a SPEC. The error names the SPEC.
	Player(s players.Spec, o PlayerOptions) (Player, error)
	// Network makes a model play this game. The error says why it cannot.
	Network(m *net.Model, o PlayerOptions) (Network, error)
	// Solver makes the strongest solver of the game.
	Solver(o SolverOptions) (Solver, error)
	// Problems takes an exam, or reads or draws positions and solves them, for Player.Grade. It calls progress with what it does.
	Problems(ctx context.Context, c ProblemConfig, progress func(text string)) (grade.Set, error)
	// Environment makes games to learn from.
	Environment(c EnvironmentConfig) (Environment, error)
}

// Player is a player of one game. It is safe for concurrent use. A method panics when it is given a player of another game.
type Player interface {
	// Name is the SPEC, with the simulations of a network that the SPEC leaves to the model.
	Name() string
	// Think makes a thinker, which thinks about one position at a time and can be asked at any moment.
	Think(o players.Options) (Thinker, error)
	// Analyze answers questions in their order until the channel is closed, each as soon as it can, on several cores and with
	// shared batches. It calls answer on the goroutine that called Analyze; an error of answer ends the work. Whoever sends
	// questions must give up when Analyze has returned.
	Analyze(ctx context.Context, c AnalyzeConfig, questions <-chan Question, answer func(Question, *players.Analysis) error) error
	// Match plays against another player. It calls progress with the result so far after each game. When it is cancelled or
	// fails, the error comes with that result.
	Match(ctx context.Context, c MatchConfig, against Player, progress func(eval.Result)) (eval.Result, error)
	// Grade puts problems to the player and, where it is a network that searches, to its bare policy. It calls progress with the
	// number of problems answered.
	Grade(ctx context.Context, c grade.Config, set grade.Set, progress func(done int)) (grade.Report, error)
}

// InputError is a mistake in what was asked for: a name, a number, a configuration. The work has not begun.
type InputError struct{ Err error }

// Error is the text of the mistake.
func (e InputError) Error() string { return e.Err.Error() }

// Unwrap is the error without the mark.
func (e InputError) Unwrap() error { return e.Err }

// OpenRecorded is Open for a name that a file or a server tells, where a mistake is not one in what was asked for.
func OpenRecorded(name string) (Game, error) {
	e, err := Open(name)
	if input := (InputError{}); errors.As(err, &input) {
		err = input.Err
	}
	return e, err
}

// silent takes the place of a callback that is nil.
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
