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
	// FormatAction writes a move, FormatMoves a sequence of them, as the game's notation does.
	FormatAction(a game.Action) string
	FormatMoves(moves []game.Action) string

	// Match lets two players meet. progress hears of each game as it counts, with the result so far.
	Match(ctx context.Context, m Match, progress func(eval.Result)) (eval.Result, error)
	// Grader reads or draws positions, solves them, and grades players by them. progress hears how it is getting on.
	Grader(ctx context.Context, c GradeConfig, progress func(text string)) (Grader, error)
	// Exam puts the exam of the game to a player. progress, unless nil, hears how far it is.
	Exam(ctx context.Context, c ExamConfig, progress func(done, total int)) (grade.ExamReport, error)
	// Solver makes the strongest solver that there is for the game.
	Solver(o SolverOptions) (Solver, error)
	// Count counts the game's positions ply by ply, from the start up to a ply, and tells yield of each until it returns an
	// error. 0 plies: to the end of the game.
	Count(ctx context.Context, plies int, yield func(game.Census) error) error

	// Analyze answers questions in their order until the channel is closed, each as soon as it can, on several cores and with
	// shared batches. answer is called by the goroutine that called Analyze; its error ends the work. Who sends questions must
	// give up when Analyze has returned.
	Analyze(ctx context.Context, c AnalyzeConfig, questions <-chan Question, answer func(Question, *players.Analysis) error) error
	// Think makes a player that thinks about one position at a time and can be asked at any moment.
	Think(c ThinkConfig) (Thinker, error)
	// Environment makes games to learn from.
	Environment(c EnvironmentConfig) (Environment, error)
	// Network reads a model to play this game with: a file, a run directory or the name of one that comes with tengen.
	Network(path string, o PlayerOptions) (Network, error)
	// Describe tells of such a model. The error says why it cannot play this game.
	Describe(path string) (ModelInfo, error)
}

// InputError is a mistake in what was asked for: a name, a number, a configuration. The work has not begun.
type InputError struct{ Err error }

// Error is the text of the mistake.
func (e InputError) Error() string { return e.Err.Error() }

// Unwrap is the error without the mark.
func (e InputError) Unwrap() error { return e.Err }

// openRecorded is Open for a name that a file or a server tells, where a mistake is not one in what was asked for.
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
