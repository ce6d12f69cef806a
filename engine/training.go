package engine

import (
	"context"
	"fmt"
	"io"

	"tengen/eval"
	"tengen/game/conformance"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/replay/npz"
	"tengen/selfplay"
	"tengen/selfplay/netplayer"
	"tengen/train"
)

// Trainable is what training, and measurements of its speed, take from a game.
type Trainable interface {
	// CheckTraining returns an error that names a setting unsuitable for the game: replay.exact_plies, or evaluations if
	// the run has them, whose openings follow from the seed. A game whose planes are not 0 and 1 cannot be trained.
	CheckTraining(seed uint64, exactPlies int, evaluated bool) error
	// Fits returns an error if the game cannot have such a network (see net.Fits).
	Fits(c net.Config) error
	// Shape returns the sizes of the game's networks.
	Shape() net.Shape
	// Weights returns the random weights of the seed. c must fit.
	Weights(c net.Config, seed uint64) *net.Weights

	// SelfPlay returns a player whose games follow from the settings, the seed and the weights.
	SelfPlay(c selfplay.Config, search mcts.Config, seed uint64) *netplayer.Player
	// Window returns an empty window.
	Window(c replay.Config) train.Window
	// Values returns a network's values, for the side to move, of the searched positions of games in order.
	Values(w *net.Weights, games []*replay.Record) ([]float32, error)
	// Validate returns an error unless the record is a game by the rules (see replay.Validate).
	Validate(g *replay.Record) error
	// WriteNPZ writes the searched positions of games, whose number must be positions, as a NumPy file (see npz.Write).
	WriteNPZ(w io.Writer, positions int, games func(yield func(*replay.Record) error) error) error

	// Evaluations returns a function that evaluates a batch of positions of random games.
	Evaluations(s *net.Server, batch int) func() error
	// Search returns a function that searches the starting position, with mcts.Uniform if w is nil.
	Search(c mcts.Config, w *net.Weights) func(context.Context) (simulations int, err error)
	// RandomGames returns games of random moves.
	RandomGames(n int) []*replay.Record
}

// CheckTraining looks for settings unsuitable for the game.
func (e Typed[S]) CheckTraining(seed uint64, exactPlies int, evaluated bool) error {
	if e.Exact.Try != nil && exactPlies > 0 {
		return fmt.Errorf("replay.exact_plies is %d, but no ply says where the solver of %s is quick: choose 0", exactPlies, e.Rules.Name())
	}
	if limit := e.Rules.MaxPlies() - e.Exact.Quick; exactPlies > limit {
		return fmt.Errorf("replay.exact_plies is %d, but the solver of %s is quick only with at most %d plies left: "+
			"choose no more", exactPlies, e.Rules.Name(), limit)
	}
	if evaluated {
		if _, err := eval.Openings(e.Rules, eval.Default().OpeningPlies, 1, seed); err != nil {
			return fmt.Errorf("evaluations begin with random moves, but %w: set train.evaluate_every=0", err)
		}
	}
	for _, s := range e.randomPositions(100) {
		if err := conformance.Binary(e.Rules, s); err != nil {
			return fmt.Errorf("%s cannot be trained: at ply %d, %w: its method Encode must write 0 and 1 only; "+
				"game check %[1]s says more", e.Rules.Name(), s.Ply(), err)
		}
	}
	return nil
}

// Fits says whether the game can have a network.
func (e Typed[S]) Fits(c net.Config) error { return net.Fits(c, e.Rules) }

// Shape returns the sizes of the game's networks.
func (e Typed[S]) Shape() net.Shape { return net.ShapeOf(e.Rules) }

// Weights returns random weights.
func (e Typed[S]) Weights(c net.Config, seed uint64) *net.Weights {
	return net.NewWeights(net.ConfigFor(c, e.Rules), e.Shape(), seed)
}

// SelfPlay returns a player of the games to learn from.
func (e Typed[S]) SelfPlay(c selfplay.Config, search mcts.Config, seed uint64) *netplayer.Player {
	return netplayer.New(e.Rules, c, search, seed)
}

// Window returns an empty window.
func (e Typed[S]) Window(c replay.Config) train.Window {
	return replay.NewWindow(e.Rules, c, e.Exact.Signs())
}

// Values evaluates the searched positions of games.
func (e Typed[S]) Values(w *net.Weights, games []*replay.Record) ([]float32, error) {
	var states []S
	for _, g := range games {
		s := e.Rules.Start()
		for ply, a := range g.Moves {
			if ply >= g.Opening {
				states = append(states, s)
			}
			s = s.Play(a)
		}
	}
	values, unused := make([]float32, len(states)), make([]float32, e.Rules.Actions())
	priors := make([][]float32, len(states))
	for i := range priors {
		priors[i] = unused
	}
	return values, net.NewEvaluator[S](w, evaluationBatch).Evaluate(states, priors, values)
}

// Validate replays a record.
func (e Typed[S]) Validate(g *replay.Record) error { return replay.Validate(e.Rules, g) }

// WriteNPZ writes positions for NumPy.
func (e Typed[S]) WriteNPZ(w io.Writer, positions int, games func(yield func(*replay.Record) error) error) error {
	return npz.Write(w, e.Rules, positions, games)
}

// Evaluations returns work for a network.
func (e Typed[S]) Evaluations(s *net.Server, batch int) func() error {
	ev := net.NewEvaluatorOf[S](s, batch)
	leaves, priors, values := e.randomPositions(batch), make([][]float32, batch), make([]float32, batch)
	for i := range priors {
		priors[i] = make([]float32, e.Rules.Actions())
	}
	return func() error { return ev.Evaluate(leaves, priors, values) }
}

// Search returns work for the search.
func (e Typed[S]) Search(c mcts.Config, w *net.Weights) func(context.Context) (simulations int, err error) {
	var ev mcts.Evaluator[S] = &mcts.Uniform[S]{}
	leaves := 1
	if w != nil {
		leaves = 8
		ev = net.NewEvaluator[S](w, leaves)
	}
	search := mcts.New[S](c, e.Rules.Actions())
	options := mcts.DriveOptions{Batch: leaves, InFlight: func(int) int { return leaves }}
	return func(ctx context.Context) (int, error) {
		search.Reset(e.Rules.Start())
		search.Begin(800, nil)
		err := mcts.Drive(ctx, []*mcts.Search[S]{search}, []mcts.Evaluator[S]{ev}, options)
		return search.Simulations(), err
	}
}

// RandomGames plays at random.
func (e Typed[S]) RandomGames(n int) (games []*replay.Record) {
	for i := range uint64(n) {
		games = append(games, replay.RandomRecord(e.Rules, i, random.New(1, random.Bench, i)))
	}
	return games
}

// randomPositions returns the positions of random games.
func (e Typed[S]) randomPositions(n int) []S {
	rng := random.New(1, random.Bench)
	var positions []S
	for s := e.Rules.Start(); len(positions) < n; {
		positions = append(positions, s)
		legal := s.Legal(nil)
		s = s.Play(legal[rng.IntN(len(legal))])
		if _, over := s.Outcome(); over {
			s = e.Rules.Start()
		}
	}
	return positions
}
