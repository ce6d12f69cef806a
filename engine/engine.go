// Package engine is everything that tengen does with a game chosen by name: it opens games, makes positions and players,
// lets players meet, grades and solves, trains, works for other trainings, and reads what a run has played. The terminal, a
// browser and protocols are doors to it.
//
// Below this package, code is generic over a game's type of position; here the type is erased. An Engine is bound to one
// game, Positions and Actions are plain values, and results (eval.Result, grade.Report, players.Analysis) have had no type
// parameter anyway.
//
// Nothing here prints, reads flags or knows of a terminal. Progress is told to callbacks, which may be nil. An InputError is a
// mistake in what was asked for; all other errors are about the work, or about what files and servers hold.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tengen/eval"
	"tengen/game"
	"tengen/net"
	"tengen/net/onnx"
	"tengen/players"
	"tengen/replay"
	"tengen/selfplay/cluster"
)

// Engine does what can be done with one game. It is safe for concurrent use.
type Engine interface {
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
	// Play returns the position after one more move. An InputError says that it is not legal.
	Play(p Position, a game.Action) (Position, error)
	// Targets returns the cell of each move of a line of play from a position, see game.Diagram; -1 for moves without one.
	Targets(p Position, line []game.Action) []int
	// ParseMove reads one move that is legal in a position. The error is an InputError.
	ParseMove(p Position, text string) (game.Action, error)
	// FormatAction writes a move, FormatMoves a sequence of them, as the game's notation does.
	FormatAction(a game.Action) string
	FormatMoves(moves []game.Action) string

	// Match lets two players meet. progress hears of each game as it counts, with the result so far.
	Match(ctx context.Context, m Match, progress func(eval.Result)) (eval.Result, error)
	// Ladder rates the models of runs, see Ladder.
	Ladder(ctx context.Context, l Ladder, progress func(played, matches int, last eval.Result)) (*Climb, error)
	// Grader takes an exam, or reads or draws positions and solves them, and grades players by them. progress hears how it is
	// getting on.
	Grader(ctx context.Context, c GradeConfig, progress func(text string)) (Grader, error)
	// Solver makes the strongest solver that there is for the game.
	Solver(o SolverOptions) (Solver, error)
	// QuickPly is the ply from which on Solver takes well under a second for a position.
	QuickPly() int
	// PliesLeft is the number of plies to the end of the game from a position with a score of Solver, see solver.PliesToEnd.
	PliesLeft(p Position, score int) int
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
	// Prove looks for a proof by forced moves, see Proof.
	Prove(p Position, nodes int) Proof

	// Train opens a run of this game, or goes on with one.
	Train(ctx context.Context, t TrainConfig) (*Training, error)
	// Bench measures this machine.
	Bench(ctx context.Context, cfg Config, window time.Duration, progress func(text string)) (*BenchReport, error)

	fits(c net.Config) error
	// onnx is the network of a model as it plays this game.
	onnx(m *net.Model, o onnx.Options) (*onnx.Graph, error)
	// solves tells whether a solver is quick in the last plies that the game can have, or why not.
	solves(plies int) error
	player(s cluster.Settings, workers int) (cluster.Player, error)
	validate(g *replay.Record) error
	writeNPZ(w io.Writer, positions int, games func(yield func(*replay.Record) error) error) error
}

// InputError is a mistake in what was asked for: a name, a number, a configuration. The work has not begun.
type InputError struct{ Err error }

// Error is the text of the mistake.
func (e InputError) Error() string { return e.Err.Error() }

// Unwrap is the error without the mark.
func (e InputError) Unwrap() error { return e.Err }

// openRecorded is Open for a name that a file or a server tells, where a mistake is not one in what was asked for.
func openRecorded(name string) (Engine, error) {
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

func inputErrorf(format string, a ...any) error { return InputError{fmt.Errorf(format, a...)} }
