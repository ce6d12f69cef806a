package run

import (
	"context"

	"tengen/internal/random"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay/netplayer"
	"tengen/train"
)

// SelfPlay implements Game.
func (e typedGame[S]) SelfPlay(c Config) *netplayer.Player {
	return netplayer.New(e.Rules, c.Selfplay, c.Search, c.Seed)
}

// Weights implements Game.
func (e typedGame[S]) Weights(c Config) *net.Weights {
	return net.NewWeights(net.ConfigFor(c.Net, e.Rules), net.ShapeOf(e.Rules), c.Seed)
}

// Window implements Game.
func (e typedGame[S]) Window(c replay.Config) train.Window {
	return replay.NewWindow(e.Rules, c, e.Exact.Signs())
}

// Evaluations implements Game.
func (e typedGame[S]) Evaluations(s *net.Server, batch int) func() error {
	ev := net.NewEvaluatorOf[S](s, batch)
	leaves, priors, values := e.randomPositions(batch), make([][]float32, batch), make([]float32, batch)
	for i := range priors {
		priors[i] = make([]float32, e.Rules.Actions())
	}
	return func() error { return ev.Evaluate(leaves, priors, values) }
}

// Search implements Game.
func (e typedGame[S]) Search(c mcts.Config, w *net.Weights) func(context.Context) (simulations int, err error) {
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

// RandomGames implements Game.
func (e typedGame[S]) RandomGames(n int) (games []*replay.Record) {
	for i := range uint64(n) {
		games = append(games, replay.RandomRecord(e.Rules, i, random.New(1, random.Bench, i)))
	}
	return games
}

// randomPositions returns the positions of random games.
func (e typedGame[S]) randomPositions(n int) []S {
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
