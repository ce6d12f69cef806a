// Package run configures, trains, continues, verifies and copies runs, serves their workers and reads their games. A run
// can be read or copied while another process trains it. Package engine has the players, which need no run.
// An engine.InputError is a mistake in the request.
//
// A program of your own trains a registered game as "tengen train" does, and continues what was stopped:
//
//	cfg := run.DefaultConfig()
//	cfg.Game, cfg.Train.Iterations = "connect4", 20
//	training, err := run.Train(ctx, run.TrainConfig{Config: cfg, Dir: "checkpoints/mine"})
//	if err == nil {
//		err = errors.Join(training.Run(ctx), training.Close())
//	}
//
// After that, "net:checkpoints/mine:100" is a player for engine.Game.Player.
package run

import (
	"context"
	"fmt"
	"io"
	"time"

	"tengen/engine"
	"tengen/eval"
	"tengen/game"
	"tengen/game/conformance"
	"tengen/net"
	"tengen/players"
	"tengen/replay"
	"tengen/selfplay/netplayer"
	"tengen/train"
)

// Game is a trainable game. It is safe for concurrent use.
type Game interface {
	engine.Game

	// Bench measures each speed for about the window, above 0. It calls progress before each measurement.
	Bench(ctx context.Context, cfg Config, window time.Duration, progress func(text string)) (*BenchReport, error)

	// BenchCores is Bench on one core and on each of the given numbers of cores. It measures only training, self-play
	// and evaluations in batches of selfplay.games_per_worker. No other goroutine should be busy. It returns an
	// InputError if the process cannot use as many cores.
	BenchCores(ctx context.Context, cfg Config, cores []int, window time.Duration, progress func(text string)) (*CoresReport, error)

	// Forecast estimates how long a run's iterations take with a choice of devices. It measures for about two windows.
	Forecast(ctx context.Context, cfg Config, c Choice, window time.Duration) (train.Forecast, error)

	// Try trains a small network in memory for about the wanted time, and at least once, to see whether the game can be
	// learned.
	Try(ctx context.Context, wanted time.Duration) (Trial, error)

	// checkConfig returns an error that names a setting unsuitable for the game.
	checkConfig(c Config) error
	weights(c Config) *net.Weights
	shape() net.Shape
	window(c replay.Config) train.Window
	player(c Config) *netplayer.Player // of which only the seed, the search and self-play are used
	// speeds measures this processor or, unless it is nil, a device.
	speeds(ctx context.Context, cfg Config, d *net.Device) (speeds, error)
	validate(g *replay.Record) error
	writeNPZ(w io.Writer, positions int, games func(yield func(*replay.Record) error) error) error
}

// speeds are what a run needs of a processor or a device, per second.
type speeds struct {
	positions float64 // evaluated, in batches as in self-play
	samples   float64 // learned from
}

// Of returns the family of trainable games with the given rules.
func Of[S game.State[S], G game.Game[S]](r engine.Rules[S, G]) engine.Family {
	r.Wrap = func(e engine.Typed[S]) engine.Game { return typedGame[S]{e} }
	return r
}

// typedGame implements Game for a type of position.
type typedGame[S game.State[S]] struct{ engine.Typed[S] }

// Open returns the named game. All errors are InputErrors.
func Open(name string) (Game, error) { return trainable(engine.Open(name)) }

// openRecorded is Open for a name from a file or a server: its errors are not InputErrors.
func openRecorded(name string) (Game, error) { return trainable(engine.OpenRecorded(name)) }

func trainable(e engine.Game, err error) (Game, error) {
	if err != nil {
		return nil, err
	}
	g, ok := e.(Game)
	if !ok {
		return nil, engine.InputErrorf("game %q can be played, but not trained: register what run.Of returns for its rules", e.Info().Name)
	}
	return g, nil
}

func (e typedGame[S]) checkConfig(c Config) error {
	if limit := e.Rules.MaxPlies() - e.Exact.Quick; c.Replay.ExactPlies > limit {
		return fmt.Errorf("replay.exact_plies is %d, but the solver of %s is quick only with at most %d plies left: choose no more",
			c.Replay.ExactPlies, e.Rules.Name(), limit)
	}
	if c.Train.EvaluateEvery > 0 {
		if _, err := eval.Openings(e.Rules, c.Eval.OpeningPlies, 1, c.Seed); err != nil {
			return fmt.Errorf("eval.opening_plies is %d: %w", c.Eval.OpeningPlies, err)
		}
	}
	if against, err := c.Eval.opponent(); err == nil && against.Kind == players.KindMinimax && c.Train.EvaluateEvery > 0 {
		if _, err := e.Player(against, engine.PlayerOptions{}); err != nil {
			return fmt.Errorf("eval.against: %w", err)
		}
	}
	for _, s := range e.randomPositions(100) {
		if err := conformance.Binary(e.Rules, s); err != nil {
			return fmt.Errorf("%s cannot be trained: at ply %d, %w: its method Encode must write 0 and 1 only; game check %s says more",
				e.Rules.Name(), s.Ply(), err, e.Rules.Name())
		}
	}
	return net.Fits(c.Net, e.Rules)
}

func (e typedGame[S]) weights(c Config) *net.Weights {
	return net.NewWeights(net.ConfigFor(c.Net, e.Rules), net.ShapeOf(e.Rules), c.Seed)
}

func (e typedGame[S]) player(c Config) *netplayer.Player {
	return netplayer.New(e.Rules, c.Selfplay, c.Search, c.Seed)
}

func (e typedGame[S]) shape() net.Shape { return net.ShapeOf(e.Rules) }

func (e typedGame[S]) window(c replay.Config) train.Window {
	return replay.NewWindow(e.Rules, c, e.Exact.Signs())
}
