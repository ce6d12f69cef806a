// Package run manages run directories: it configures, trains and continues a run, serves its workers, reads its games,
// and verifies and copies it. Package engine plays the games.
//
// Nothing here prints, reads flags or uses a terminal. Callbacks for progress may be nil. An engine.InputError is a
// mistake in the request; all other errors are about the work or the contents of files and servers.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tengen/engine"
	"tengen/eval"
	"tengen/game"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay/cluster"
	"tengen/train"
)

// Game is a game that can be trained. It is safe for concurrent use.
type Game interface {
	engine.Game

	// Bench measures the speed of this machine. It calls progress before each measurement.
	Bench(ctx context.Context, cfg Config, window time.Duration, progress func(text string)) (*BenchReport, error)

	// Forecast estimates how long a run's iterations take.
	Forecast(ctx context.Context, cfg Config, window time.Duration) (Forecast, error)

	// fits returns an error that names a setting if it does not suit the game.
	fits(c Config) error
	// weights returns the initial weights of a run.
	weights(c Config) *net.Weights
	shape() net.Shape
	window(c replay.Config) train.Window
	// generator returns a generator that uses the given instruction set (see net.NewEvaluatorOn).
	generator(c Config, set string) generator
	validate(g *replay.Record) error
	writeNPZ(w io.Writer, positions int, games func(yield func(*replay.Record) error) error) error
}

// generator plays games on this machine.
type generator interface {
	train.Player
	cluster.Player
}

// Family is a family of games that can be trained. Of makes one.
type Family interface {
	engine.Family
	// bind returns g as a Game, or nil if g does not have the family's type.
	bind(g engine.Game) Game
}

// Of returns the family with the given rules.
func Of[S game.State[S], G game.Game[S]](r engine.Rules[S, G]) Family { return family[S, G]{r} }

type family[S game.State[S], G game.Game[S]] struct{ engine.Rules[S, G] }

func (family[S, G]) bind(g engine.Game) Game {
	if t, ok := g.(engine.Typed[S]); ok {
		return bound[S]{t}
	}
	return nil
}

// bound implements Game for a type of position.
type bound[S game.State[S]] struct{ engine.Typed[S] }

var families []Family

// Register makes families known to this package and package engine (see engine.Register).
func Register(more ...Family) {
	for _, f := range more {
		engine.Register(f)
		families = append(families, f)
	}
}

// Open returns the game with the given name. An InputError says how to write names.
func Open(name string) (Game, error) {
	e, err := engine.Open(name)
	if err != nil {
		return nil, err
	}
	return Bind(e), nil
}

// Bind returns the Game for a game. It panics if no family of its type is registered.
func Bind(e engine.Game) Game {
	for _, f := range families {
		if g := f.bind(e); g != nil {
			return g
		}
	}
	panic("run: a game that was not registered: " + e.Info().Name)
}

// openRecorded is Open for a name from a file or a server: its errors are not InputErrors.
func openRecorded(name string) (Game, error) {
	e, err := engine.OpenRecorded(name)
	if err != nil {
		return nil, err
	}
	return Bind(e), nil
}

func (e bound[S]) fits(c Config) error {
	if most := e.Rules.MaxPlies() - e.Exact.Quick; c.Replay.ExactPlies > most {
		return fmt.Errorf("replay.exact_plies is %d, but the solver of %s is quick with at most %d plies left: say so many, or fewer",
			c.Replay.ExactPlies, e.Rules.Name(), most)
	}
	if c.Train.EvaluateEvery > 0 || c.Train.Gate.Games > 0 {
		if _, err := eval.Openings(e.Rules, c.Eval.OpeningPlies, 1, c.Seed); err != nil {
			return fmt.Errorf("eval.opening_plies is %d: %w", c.Eval.OpeningPlies, err)
		}
	}
	return net.Fits(c.Net, e.Rules)
}

func (e bound[S]) weights(c Config) *net.Weights {
	return net.NewWeights(net.Suited(c.Net, e.Rules), net.ShapeOf(e.Rules), c.Seed)
}

func (e bound[S]) shape() net.Shape { return net.ShapeOf(e.Rules) }

func (e bound[S]) window(c replay.Config) train.Window {
	return replay.NewWindow(e.Rules, c, e.perfect())
}

func silent[T any](callback func(T)) func(T) {
	if callback == nil {
		return func(T) {}
	}
	return callback
}

func asInput(err error) error {
	if err == nil || errors.As(err, new(engine.InputError)) {
		return err
	}
	return engine.InputError{Err: err}
}
