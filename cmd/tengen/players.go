package main

import (
	"fmt"

	"tengen/arena"
	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/solver"
	"tengen/train"
)

// evaluationBatch is the number of leaves that a player's network scores at once.
const evaluationBatch = 32

// parseSpec reads the SPEC that a flag gives.
func parseSpec(flag, text string) (arena.Spec, error) {
	if text == "" {
		return arena.Spec{}, usageError{fmt.Errorf("%s is missing: give it the SPEC of a player, %s", flag, arena.Forms())}
	}
	s, err := arena.ParseSpec(text)
	if err != nil {
		return s, usageError{fmt.Errorf("%s: %w", flag, err)}
	}
	return s, nil
}

// parseEngine is parseSpec for a flag that takes no person.
func parseEngine(flag, text string) (arena.Spec, error) {
	s, err := parseSpec(flag, text)
	if err == nil && s.Kind == arena.KindHuman {
		err = usageError{fmt.Errorf("%s: a person cannot be asked here, name another player", flag)}
	}
	return s, err
}

// checkOpponent refuses a SPEC that a model cannot be measured against.
func checkOpponent(text string) error {
	s, err := arena.ParseSpec(text)
	if err == nil && s.Kind == arena.KindHuman {
		err = fmt.Errorf("a person is no opponent for an evaluation")
	}
	return err
}

// resolve returns the configuration, and the program of the game that --game, a player's model, or a configuration file
// given by name tells, in this order.
func resolve(flags *configFlags, gameName string, specs ...arena.Spec) (Config, program, error) {
	cfg, err := flags.load("")
	if err != nil {
		return cfg, nil, err
	}
	for _, s := range specs {
		if gameName != "" || s.Kind != arena.KindNet {
			continue
		}
		m, err := openModel(s.Path)
		if err != nil {
			return cfg, nil, fmt.Errorf("player %q: %w", s, err)
		}
		gameName = m.Game
	}
	if gameName == "" && flags.file != "" {
		gameName = cfg.Game
	}
	if gameName == "" {
		return cfg, nil, usageError{fmt.Errorf("which game? Name it with --game, such as --game connect4")}
	}
	p, err := openGame(gameName)
	if err != nil {
		return cfg, nil, usageError{err}
	}
	return cfg, p, nil
}

// openModel reads a model file, or the newest model of a run's directory.
func openModel(path string) (*net.Model, error) {
	file, err := train.ModelFile(path)
	if err != nil {
		return nil, err
	}
	return net.LoadModel(file)
}

// builder makes players of this game.
func (b bound[S]) builder(cfg Config) arena.Builder[S] {
	return arena.Builder[S]{
		Game:   b.game,
		Search: cfg.Search,
		Batch:  evaluationBatch,
		Open: func(path string) (func() (mcts.Evaluator[S], error), error) {
			m, err := openModel(path)
			if err != nil {
				return nil, err
			}
			if err := m.Check(b.game.Name(), net.ShapeOf(b.game)); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			return b.evaluators(m.Weights, evaluationBatch), nil
		},
		Solver: func() (solver.Solver[S], error) { return b.exact(defaultSolverOptions()) },
	}
}

// newPlayer makes the player that a SPEC names.
func newPlayer[S game.State[S]](builder arena.Builder[S], spec arena.Spec) (arena.Player[S], error) {
	entrant, err := builder.Build(spec)
	if err != nil {
		return nil, err
	}
	return entrant.New()
}

// evaluators returns what makes an evaluator of the network for each goroutine.
func (b bound[S]) evaluators(w *net.Weights, batch int) func() (mcts.Evaluator[S], error) {
	return func() (mcts.Evaluator[S], error) { return net.NewEvaluator[S](w, batch), nil }
}
