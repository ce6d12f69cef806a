package live

import (
	"fmt"

	"tengen/game"
	"tengen/mcts"
	"tengen/players"
	"tengen/solver"
)

// Build returns a thinker for the player that the spec names, and the limit that the spec sets for a move. Any other limit
// can be given to Think; only the depth of alphabeta:DEPTH and the bare policy of net:PATH:0 are part of the thinker.
// Of Builder.Batch, Options.Batch takes the place. The error names the spec, or the option that is out of range.
func Build[S game.State[S]](b players.Builder[S], spec players.Spec, o Options) (*Thinker[S], Limit, error) {
	if err := o.Validate(); err != nil {
		return nil, Limit{}, err
	}
	limit := Limit{Simulations: spec.Limit, Time: spec.Time}
	switch {
	case spec.Kind == players.KindUCT:
		return NewUCT(b.Game, o), limit, nil
	case spec.Kind == players.KindAlphaBeta:
		s, err := solver.NewSearcher(b.Game, solver.DefaultPlayer(b.Game))
		if err != nil {
			return nil, Limit{}, fmt.Errorf("player %q: %w", spec, err)
		}
		return NewAlphaBeta(b.Game, s, spec.Limit, o), Limit{Time: spec.Time}, nil
	case spec.Kind == players.KindNet && limit != (Limit{}):
		network, evaluators, err := openNet(b, spec, o.Threads)
		if err != nil {
			return nil, Limit{}, fmt.Errorf("player %q: %w", spec, err)
		}
		if spec.Limit == players.Unset {
			limit.Simulations = network.Search.Simulations
		}
		return NewNet(b.Game, network.Search, evaluators, o), limit, nil
	}
	entrant, err := b.Build(spec)
	if err != nil {
		return nil, Limit{}, err
	}
	player, err := entrant.New()
	if err != nil {
		return nil, Limit{}, err
	}
	return NewPlayer(b.Game, player, o), Limit{}, nil
}

// openNet opens the network that the spec names, and makes n evaluators of it.
func openNet[S game.State[S]](b players.Builder[S], spec players.Spec, n int) (players.Network[S], []mcts.Evaluator[S], error) {
	network, err := b.Open(spec.Path)
	if err != nil {
		return network, nil, err
	}
	evaluators := make([]mcts.Evaluator[S], n)
	for i := range evaluators {
		if evaluators[i], err = network.Evaluator(); err != nil {
			return network, nil, err
		}
	}
	return network, evaluators, nil
}
