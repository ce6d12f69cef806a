// Package run is a run directory: it configures and trains a run, continues it, lets workers play for it, reads what it has played,
// verifies and copies it. Package engine plays the game that a run trains.
//
// Nothing here prints, reads flags or knows of a terminal. Progress is reported to callbacks, which may be nil. An
// engine.InputError is a mistake in what was asked for; all other errors are about the work, or about what files and servers hold.
package run

import (
	"context"
	"errors"
	"io"
	"time"

	"tengen/engine"
	"tengen/eval"
	"tengen/game"
	"tengen/net"
	"tengen/net/onnx"
	"tengen/replay"
	"tengen/selfplay/cluster"
)

// Game is a game that can be trained. It is safe for concurrent use.
type Game interface {
	engine.Game

	// Train opens a run of this game, or continues one.
	Train(ctx context.Context, t TrainConfig) (*Training, error)
	// Ladder rates the models of runs. It calls progress after each match.
	Ladder(ctx context.Context, l Ladder, progress func(played, matches int, last eval.Result)) (*Climb, error)
	// Bench measures this machine. It calls progress before each measurement.
	Bench(ctx context.Context, cfg Config, window time.Duration, progress func(text string)) (*BenchReport, error)

	fits(c net.Config) error
	// onnx is the network of a model as it plays this game.
	onnx(m *net.Model, o net.ONNXOptions) (*onnx.Graph, error)
	// solves returns an error unless a solver is quick in so many last plies of the longest game.
	solves(plies int) error
	player(s cluster.Settings, workers int) (cluster.Player, error)
	validate(g *replay.Record) error
	writeNPZ(w io.Writer, positions int, games func(yield func(*replay.Record) error) error) error
}

// Family is a family of games that can be trained, see Of.
type Family interface {
	engine.Family
	// bind returns what trains a game of the family, nil where the game is not of its type.
	bind(g engine.Game) Game
}

// Of makes a family of rules.
func Of[S game.State[S], G game.Game[S]](r engine.Rules[S, G]) Family { return family[S, G]{r} }

type family[S game.State[S], G game.Game[S]] struct{ engine.Rules[S, G] }

func (family[S, G]) bind(g engine.Game) Game {
	if t, ok := g.(engine.Typed[S]); ok {
		return bound[S]{t}
	}
	return nil
}

// bound is a Game for a type of position.
type bound[S game.State[S]] struct{ engine.Typed[S] }

// families were registered by Register.
var families []Family

// Register makes families known here and to package engine, see engine.Register.
func Register(more ...Family) {
	for _, f := range more {
		engine.Register(f)
		families = append(families, f)
	}
}

// Open returns the game with the given name. An InputError says how names are written.
func Open(name string) (Game, error) {
	e, err := engine.Open(name)
	if err != nil {
		return nil, err
	}
	return Bind(e), nil
}

// Bind returns what trains a game. It panics where no family of the game's type was registered.
func Bind(e engine.Game) Game {
	for _, f := range families {
		if g := f.bind(e); g != nil {
			return g
		}
	}
	panic("run: a game that was not registered: " + e.Info().Name)
}

// openRecorded is Open for a name in a file or from a server, where a mistake is not one in what was asked for.
func openRecorded(name string) (Game, error) {
	e, err := engine.OpenRecorded(name)
	if err != nil {
		return nil, err
	}
	return Bind(e), nil
}

// fits returns an error if networks of an architecture cannot play this game.
func (e bound[S]) fits(c net.Config) error { return net.Fits(c, e.Rules) }

// silent takes the place of a callback that is nil.
func silent[T any](callback func(T)) func(T) {
	if callback == nil {
		return func(T) {}
	}
	return callback
}

// asInput marks an error, unless it is nil.
func asInput(err error) error {
	if err == nil || errors.As(err, new(engine.InputError)) {
		return err
	}
	return engine.InputError{Err: err}
}
