// Package run configures, trains, continues and verifies runs, serves their workers and reads their games. A run can be
// read while another process trains it. Package engine has the players, which need no run. An engine.InputError is a
// mistake in the request.
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
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay/netplayer"
	"tengen/train"
)

// Game is a trainable game. It is safe for concurrent use.
type Game interface {
	engine.Game

	// SelfPlay returns a player that uses only the seed, the search and the self-play of the configuration.
	SelfPlay(c Config) *netplayer.Player
	// Weights returns the weights that a run begins with, unless it takes them from another run.
	Weights(c Config) *net.Weights
	// Window returns an empty window.
	Window(c replay.Config) train.Window

	// Evaluations returns a function that evaluates a batch of positions of random games.
	Evaluations(s *net.Server, batch int) func() error
	// Search returns a function that searches the starting position, with mcts.Uniform if w is nil.
	Search(c mcts.Config, w *net.Weights) func(context.Context) (simulations int, err error)
	// RandomGames returns games of random moves.
	RandomGames(n int) []*replay.Record

	// Try trains a small network in memory for about the wanted time, and at least once, to see whether the game can be
	// learned.
	Try(ctx context.Context, wanted time.Duration) (Trial, error)

	// checkConfig returns an error that names a setting unsuitable for the game.
	checkConfig(c Config) error
	shape() net.Shape
	validate(g *replay.Record) error
	writeNPZ(w io.Writer, positions int, games func(yield func(*replay.Record) error) error) error
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
		if _, err := eval.Openings(e.Rules, eval.Default().OpeningPlies, 1, c.Seed); err != nil {
			return fmt.Errorf("evaluations begin with random moves, but %w: set train.evaluate_every=0", err)
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

func (e typedGame[S]) shape() net.Shape { return net.ShapeOf(e.Rules) }
