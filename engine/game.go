// Package engine opens games by name: their positions, players and measurements. It erases the type of position, over
// which the packages below it are generic. Package run trains networks for these games.
//
// The package does not print, read flags or use a terminal. Callbacks for progress may be nil. An InputError is a
// mistake in the request; all other errors concern the work or the contents of files.
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

// Game provides all operations on one game. It is safe for concurrent use.
type Game interface {
	// Info describes the game.
	Info() Info

	// Start returns the starting position.
	Start() Position
	// Replay returns the position after moves from the start. An InputError names the first illegal move.
	Replay(moves []game.Action) (Position, error)
	// Parse is like Replay for moves in the game's notation, such as "44353" or "h8 i9".
	Parse(text string) (Position, error)
	// SetUp returns a position without a move history (see game.Setup). cells [Size.Cells()] go row by row from the
	// top; last may be game.None.
	SetUp(cells []game.Side, toMove game.Side, last game.Action) (Position, error)
	// Format returns moves in the game's notation.
	Format(moves ...game.Action) string
	// Count counts the positions at each ply up to plies; 0 means to the end of the game. It calls yield for each ply
	// until yield returns an error.
	Count(ctx context.Context, plies int, yield func(game.Census) error) error

	// Player makes the player for a SPEC. Errors name the SPEC.
	Player(s players.Spec, o PlayerOptions) (Player, error)
	// Network prepares a model for this game. It returns an error if the model cannot play it.
	Network(m *net.Model, o PlayerOptions) (Network, error)
	// Solver makes the game's strongest solver.
	Solver(o SolverOptions) (Solver, error)
	// Problems returns positions for Player.Grade: an exam, or positions read or drawn, and solved. It calls progress
	// before each step.
	Problems(ctx context.Context, c ProblemConfig, progress func(text string)) (grade.Set, error)
	// Environment makes games to learn from.
	Environment(c EnvironmentConfig) (Environment, error)
}

// Player is a player for one game. It is safe for concurrent use. Match panics if against plays another game.
type Player interface {
	// Name returns the SPEC. It includes the number of simulations even if the SPEC leaves it to the model.
	Name() string
	// Think makes a thinker, which analyzes one position at a time and can be stopped at any moment.
	Think(o players.Options) (Thinker, error)
	// Analyze answers questions in order until the channel is closed, each as soon as possible, on several cores and
	// with shared batches. It calls answer from the calling goroutine; an error from answer ends the work. Nothing
	// receives questions after it returns.
	Analyze(ctx context.Context, c AnalyzeConfig, questions <-chan Question, answer func(Question, *players.Analysis) error) error
	// Match plays against another player. It calls progress with the current result after each game. If it is cancelled
	// or fails, it returns that result with the error.
	Match(ctx context.Context, c MatchConfig, against Player, progress func(eval.Result)) (eval.Result, error)
	// Grade poses problems to the player and, for a network that searches, to its bare policy. It calls progress with
	// the number of answers.
	Grade(ctx context.Context, c grade.Config, set grade.Set, progress func(done int)) (grade.Report, error)
}

// InputError is a mistake in the request, such as a name or a number. It is returned before the work begins.
type InputError struct{ Err error }

// Error implements error.
func (e InputError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e InputError) Unwrap() error { return e.Err }

// OpenRecorded is like Open for a name from a file or a server: its errors are not InputErrors.
func OpenRecorded(name string) (Game, error) {
	e, err := Open(name)
	if input := (InputError{}); errors.As(err, &input) {
		err = input.Err
	}
	return e, err
}

// InputErrorf returns a formatted InputError.
func InputErrorf(format string, a ...any) error { return InputError{fmt.Errorf(format, a...)} }
