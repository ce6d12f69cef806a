package mcts_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/internal/searchtest"
)

// The toy game, by short names.
type toy = searchtest.Toy

const toyActions = searchtest.ToyActions

var newToy, letter = searchtest.NewToy, searchtest.Letter

var mustMNK = gametest.Parser(mnk.Parse)

// alphaZero is AlphaZero's search: what it does not have is off.
func alphaZero() mcts.Config {
	c := mcts.Default()
	c.Simulations, c.RootFirstPlayReduction, c.ForcedNodes = 100, 0.2, 0
	c.RootPolicyTemperature, c.ForcedPlayouts = 1, 0
	return c
}

// evaluatorFunc is an evaluator that scores one leaf at a time: it writes the priors, which come cleared, and returns the
// value for the side to move.
type evaluatorFunc[S any] func(leaf S, prior []float32) (value float32)

func (f evaluatorFunc[S]) Evaluate(leaves []S, priors [][]float32, values []float32) error {
	for i, leaf := range leaves {
		clear(priors[i])
		values[i] = f(leaf, priors[i])
	}
	return nil
}

// hashed returns an evaluator whose priors and values look random but depend on the position alone. The priors are small
// integers before normalisation, so that zeros and equal ones are common.
func hashed[S game.State[S]](seed uint64) evaluatorFunc[S] {
	return func(leaf S, prior []float32) float32 {
		key := leaf.Key()
		rng := rand.New(rand.NewPCG(seed^key[0], key[1]))
		sum := float32(0)
		legal := leaf.Legal(nil)
		for _, a := range legal {
			prior[a] = float32(rng.IntN(5))
			sum += prior[a]
		}
		for _, a := range legal {
			if sum > 0 {
				prior[a] /= sum
			} else {
				prior[a] = 1 / float32(len(legal))
			}
		}
		return 2*rng.Float32() - 1
	}
}

// written returns an evaluator of toys: the priors of the starting position are given by its moves in order, those of
// other positions are equal; the values, 0 where there is none, are given by path.
func written(priors []float32, values map[string]float32) evaluatorFunc[toy] {
	return func(leaf toy, prior []float32) float32 {
		legal := leaf.Legal(nil)
		for i, a := range legal {
			prior[a] = 1 / float32(len(legal))
			if leaf.Path == "" && priors != nil {
				prior[a] = priors[i]
			}
		}
		return values[leaf.Path]
	}
}

// word writes a line of a toy's moves.
func word(line []game.Action) (letters string) {
	for _, a := range line {
		letters += string(rune('a' + a))
	}
	return letters
}

// run searches sequentially until s is done.
func run[S game.State[S]](t testing.TB, s *mcts.Search[S], ev mcts.Evaluator[S]) {
	t.Helper()
	drive(t, s, ev, 1)
}

// drive runs a search, which has begun, with so many leaves in flight.
func drive[S game.State[S]](t testing.TB, s *mcts.Search[S], ev mcts.Evaluator[S], leaves int) {
	t.Helper()
	o := mcts.DriveOptions{Batch: leaves, InFlight: func(int) int { return leaves }}
	if err := mcts.Drive(t.Context(), []*mcts.Search[S]{s}, []mcts.Evaluator[S]{ev}, o); err != nil {
		t.Fatal(err)
	}
}

// step makes n simulations of a search, which has begun, one after the other, or fewer until it is done.
func step[S game.State[S]](t testing.TB, s *mcts.Search[S], ev mcts.Evaluator[S], n int) {
	t.Helper()
	for end := s.Simulations() + n; s.Simulations() < end && !s.Done(); {
		leaf, status := s.Select()
		if status != mcts.Leaf {
			continue
		}
		priors, values := [][]float32{make([]float32, s.Actions())}, make([]float32, 1)
		if err := ev.Evaluate([]S{leaf}, priors, values); err != nil {
			t.Fatal(err)
		}
		s.Expand(priors[0], values[0])
	}
}

// simulate runs a search, which may have begun, until it has finished n simulations or its root is proven.
func simulate[S game.State[S]](t testing.TB, s *mcts.Search[S], ev mcts.Evaluator[S], n int) {
	t.Helper()
	if n > 0 {
		s.Begin(n, nil)
		run(t, s, ev)
	}
}

// decided returns what s comes to.
func decided[S game.State[S]](s *mcts.Search[S], temperature float64, rng *rand.Rand) (d mcts.Decision) {
	s.Decide(temperature, rng, &d)
	return d
}

// searched returns a search of root after n simulations.
func searched[S game.State[S]](t testing.TB, cfg mcts.Config, actions int, root S, ev mcts.Evaluator[S], n int) *mcts.Search[S] {
	t.Helper()
	s := begun(cfg, actions, root, n, nil)
	run(t, s, ev)
	return s
}

// begun returns a search of root for n simulations, which explores unless rng is nil.
func begun[S game.State[S]](cfg mcts.Config, actions int, root S, n int, rng *rand.Rand) *mcts.Search[S] {
	s := mcts.New[S](cfg, actions)
	s.Reset(root)
	s.Begin(n, rng)
	return s
}

// explored returns a search of root that explored, after n simulations.
func explored[S game.State[S]](t testing.TB, cfg mcts.Config, actions int, root S, ev mcts.Evaluator[S], n int, seed uint64) *mcts.Search[S] {
	t.Helper()
	s := begun(cfg, actions, root, n, random.New(seed, random.Test))
	run(t, s, ev)
	return s
}

// checkSame checks that two searches have found the same and teach the same.
func checkSame[S game.State[S]](t *testing.T, got, want *mcts.Search[S]) {
	t.Helper()
	d, wanted := decided(got, 1, random.New(1, random.Test)), decided(want, 1, random.New(1, random.Test))
	if !slices.Equal(got.Stats(nil), want.Stats(nil)) || d.Action != wanted.Action || !slices.Equal(d.Policy, wanted.Policy) {
		t.Errorf("a search has %v and decides %+v, want %v and %+v", got.Stats(nil), d, want.Stats(nil), wanted)
	}
}

// statOf returns what a search found out about one move of the root.
func statOf[S game.State[S]](t testing.TB, s *mcts.Search[S], a game.Action) mcts.Stat {
	t.Helper()
	for _, stat := range s.Stats(nil) {
		if stat.Action == a {
			return stat
		}
	}
	t.Fatalf("move %d is not among the moves of the root", a)
	return mcts.Stat{}
}
