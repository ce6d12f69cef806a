package players

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/mcts"
	network "tengen/net"
	"tengen/solver"
	connect4solver "tengen/solver/connect4"
)

// fake is an evaluator with arbitrary opinions that depend on the position alone. It calls before first, where there is one.
type fake[S game.State[S]] struct{ before func(leaves int) error }

func (f *fake[S]) Evaluate(leaves []S, priors [][]float32, values []float32) error {
	if f.before != nil {
		if err := f.before(len(leaves)); err != nil {
			return err
		}
	}
	for i, s := range leaves {
		key := s.Key()
		rng := random.New(key[0], random.Test, key[1], uint64(s.Last()))
		values[i] = 2*rng.Float32() - 1
		clear(priors[i])
		sum := float32(0)
		for _, a := range s.Legal(nil) {
			priors[i][a] = rng.Float32()
			sum += priors[i][a]
		}
		for a := range priors[i] {
			priors[i][a] /= sum
		}
	}
	return nil
}

// fakes returns n evaluators that share before.
func fakes[S game.State[S]](n int, before func(leaves int) error) []mcts.Evaluator[S] {
	var evaluators []mcts.Evaluator[S]
	for range n {
		evaluators = append(evaluators, &fake[S]{before})
	}
	return evaluators
}

// options are small ones that depend on nothing of the machine.
func options() Options { return Options{Threads: 2, Batch: 4, Interval: time.Hour, Seed: 1} }

// netThinker returns a thinker that searches with the evaluators.
func netThinker[S game.State[S]](g game.Game[S], evaluators []mcts.Evaluator[S], o Options) *Thinker[S] {
	return newThinker(g, newNet(Network[S]{Search: mcts.Default()}, g.Actions(), evaluators, Options{Threads: len(evaluators), Batch: o.Batch, MaxNodes: o.nodes(g.Actions()), speculative: true}), o)
}

// newFake returns a thinker about Connect Four with two fake evaluators.
func newFake(before func(leaves int) error) *Thinker[connect4.State] {
	return netThinker(connect4.Standard(), fakes[connect4.State](2, before), options())
}

// newReal returns a thinker with a small network.
func newReal[S game.State[S]](g game.Game[S], o Options) *Thinker[S] {
	cfg := network.Default()
	cfg.Blocks, cfg.Channels = 1, 8
	w := network.NewWeights(cfg, network.ShapeOf(g), 1)
	var evaluators []mcts.Evaluator[S]
	for range o.Threads {
		evaluators = append(evaluators, network.NewEvaluator[S](w, o.Batch))
	}
	return netThinker(g, evaluators, o)
}

// builder makes players of Connect Four; its networks are fakes.
func builder() Builder[connect4.State] {
	return Builder[connect4.State]{
		Game: connect4.Standard(), Batch: 8,
		Open: func(path string) (Network[connect4.State], error) {
			return Network[connect4.State]{Search: mcts.Default(), Evaluator: func() (mcts.Evaluator[connect4.State], error) { return &fake[connect4.State]{}, nil }}, nil
		},
		Solver: func() (solver.Solver[connect4.State], error) {
			return connect4solver.New(connect4.Standard(), connect4solver.Options{TableMegabytes: 1, Threads: 1})
		},
	}
}

// everyKind is a SPEC of every kind of thinker.
var everyKind = []string{"random", "net:m:0", "net:m", "net:m:400", "net:m:1s", "uct:1000", "uct:1s", "alphabeta:4", "alphabeta:1s", "solver"}

func build(t testing.TB, text string, o Options) (*Thinker[connect4.State], Limit) {
	t.Helper()
	spec, err := ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := builder().Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	thinker, err := f.Think(o)
	if err != nil {
		t.Fatal(err)
	}
	return thinker, f.Limit
}

func think[S game.State[S]](t testing.TB, thinker *Thinker[S], limit Limit) Report {
	t.Helper()
	answer, err := thinker.Think(t.Context(), limit, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// checkAnswer checks that the parts of an answer about s, which is not over, fit together.
func checkAnswer[S game.State[S]](s S, r Report) error {
	legal := s.Legal(nil)
	sum := float32(0)
	for _, p := range r.Policy {
		sum += p
	}
	switch {
	case !r.Final:
		return fmt.Errorf("the answer is not final")
	case !slices.Contains(legal, r.Best):
		return fmt.Errorf("the best move is %d, legal are %v", r.Best, legal)
	case len(r.PV) == 0 || r.PV[0] != r.Best:
		return fmt.Errorf("best %d, pv %v", r.Best, r.PV)
	case len(r.Moves) != len(legal):
		return fmt.Errorf("%d moves, legal are %v", len(r.Moves), legal)
	case sum < 0.999 || sum > 1.001:
		return fmt.Errorf("the policy sums to %v", sum)
	case r.Value < -1 || r.Value > 1:
		return fmt.Errorf("value %v", r.Value)
	case r.Simulations < r.Kept:
		return fmt.Errorf("%d simulations, of them %d kept", r.Simulations, r.Kept)
	}
	return nil
}

// ended is a context that has ended.
func ended(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// advance plays a move, and keeps what is known below it.
func advance[S game.State[S]](thinker *Thinker[S], a game.Action) {
	thinker.Set(At(thinker.line.Position.Play(a)))
}
