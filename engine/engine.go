// Package engine is everything that tengen does with a game chosen by name: it opens games, makes positions and players,
// lets players meet, grades and solves, trains, works for other trainings, and reads what a run has played. The terminal, a
// browser and protocols are doors to it.
//
// Below this package, code is generic over a game's type of position; here the type is erased. An Engine is bound to one
// game, Positions and Actions are plain values, and results (arena.Result, grade.Report, arena.Analysis) have had no type
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
	"strings"
	"time"

	"tengen/arena"
	"tengen/game"
	"tengen/game/caniwin"
	"tengen/game/connect4"
	"tengen/game/ends"
	"tengen/game/mnk"
	"tengen/game/nim"
	"tengen/net"
	"tengen/net/onnx"
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
	// ParseMove reads one move that is legal in a position. The error is an InputError.
	ParseMove(p Position, text string) (game.Action, error)
	// FormatAction writes a move, FormatMoves a sequence of them, as the game's notation does.
	FormatAction(a game.Action) string
	FormatMoves(moves []game.Action) string

	// Match lets two players meet. progress hears of each game as it counts, with the result so far.
	Match(ctx context.Context, m Match, progress func(arena.Result)) (arena.Result, error)
	// Ladder rates the models of runs, see Ladder.
	Ladder(ctx context.Context, l Ladder, progress func(played, matches int, last arena.Result)) (*Climb, error)
	// Grader reads or draws positions, solves them, and grades players by them. progress hears how it is getting on.
	Grader(ctx context.Context, c GradeConfig, progress func(text string)) (Grader, error)
	// Exam puts the exam of the game to a player: see packages exam and gomoku. progress, unless nil, hears how far it is.
	Exam(ctx context.Context, c ExamConfig, progress func(done, total int)) (ExamReport, error)
	// Solver makes the strongest solver that there is for the game.
	Solver(o SolverOptions) (Solver, error)
	// QuickPly is the ply from which on Solver takes well under a second for a position.
	QuickPly() int
	// PliesLeft is the number of plies to the end of the game from a position with a score of Solver, see solver.PliesToEnd.
	PliesLeft(p Position, score int) int
	// Count counts the game's positions ply by ply, from the start up to a ply, and tells yield of each until it returns an
	// error. 0 plies: to the end of the game.
	Count(ctx context.Context, plies int, yield func(game.Census) error) error
	// BuildBook writes an opening book for the solver, see BookOptions.
	BuildBook(ctx context.Context, o BookOptions, progress func(done, total int)) (Book, error)

	// Analyze answers questions in their order until the channel is closed, each as soon as it can, on several cores and with
	// shared batches. answer is called by the goroutine that called Analyze; its error ends the work. Who sends questions must
	// give up when Analyze has returned.
	Analyze(ctx context.Context, c AnalyzeConfig, questions <-chan Question, answer func(Question, *arena.Analysis) error) error
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

// typed is an Engine for a type of position.
type typed[S game.State[S]] struct {
	game  game.Game[S]
	exact opener[S]
	quick int // the ply from which on exact takes well under a second for a position
}

// bind returns the engine of a game unless err is not nil.
func bind[S game.State[S], G game.Game[S]](g G, err error, solve func(G) (exact opener[S], quick int)) (Engine, error) {
	if err != nil {
		return nil, err
	}
	exact, quick := solve(g)
	return typed[S]{g, exact, quick}, nil
}

// families lists the games by the first word of their names, with the form of what follows it. open binds a board, a fixed one
// or one that numbers describe, to the game's solver: solveGeneral where it has none of its own.
var families = []struct {
	name, form string
	open       func(numbers string) (Engine, error)
}{
	{"tictactoe", "tictactoe", fixed(mnk.TicTacToe, solveMNK)},
	{"connect4", "connect4 or connect4:COLUMNS,ROWS,K", func(numbers string) (Engine, error) {
		if numbers == "" {
			return bind(connect4.Standard(), nil, solveConnect4)
		}
		return numbered(connect4.Parse, solveConnect4)(numbers)
	}},
	{"gomoku", "gomoku", fixed(mnk.Gomoku, solveMNK)},
	{"mnk", "mnk:COLUMNS,ROWS,K[,exact][,caro]", numbered(mnk.Parse, solveMNK)},
	{"nim", "nim:PILE,PILE,...[,misere]", numbered(nim.Parse, solveNim)},
	{"ends", "ends:NUMBER,NUMBER,...", numbered(ends.Parse, solveEnds)},
	{"caniwin", "caniwin:NUMBERS,TOTAL", numbered(caniwin.Parse, solveCanIWin)},
}

// fixed is a family of one board.
func fixed[S game.State[S], G game.Game[S]](board func() G, solve func(G) (opener[S], int)) func(string) (Engine, error) {
	return func(numbers string) (Engine, error) {
		if numbers != "" {
			return nil, fmt.Errorf("%q is one too many", numbers)
		}
		return bind(board(), nil, solve)
	}
}

// numbered is a family of boards that numbers describe.
func numbered[S game.State[S], G game.Game[S]](parse func(string) (G, error), solve func(G) (opener[S], int)) func(string) (Engine, error) {
	return func(numbers string) (Engine, error) {
		g, err := parse(numbers)
		return bind(g, err, solve)
	}
}

// GameNames lists names of games, for completion: of a family, the name that others begin with.
func GameNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// Families lists how the names of games are written, such as "connect4 or connect4:COLUMNS,ROWS,K".
func Families() []string {
	var forms []string
	for _, f := range families {
		forms = append(forms, f.form)
	}
	return forms
}

// Open returns the engine of the game with the given name. An InputError says how names are written.
func Open(name string) (Engine, error) {
	family, numbers, colon := strings.Cut(strings.ToLower(strings.TrimSpace(name)), ":")
	for _, f := range families {
		if f.name != family {
			continue
		}
		e, err := f.open(numbers)
		if colon && numbers == "" {
			err = errors.New("nothing follows the colon")
		}
		if err != nil {
			return nil, inputErrorf("game %q: %w: write %s", name, err, f.form)
		}
		return e, nil
	}
	return nil, inputErrorf("game %q is unknown: write %s", name, strings.Join(Families(), ", "))
}
