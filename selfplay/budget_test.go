package selfplay

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/mcts"
)

// counter is a source of random numbers that counts them.
type counter struct {
	rand.Source
	draws int
}

func (c *counter) Uint64() uint64 {
	c.draws++
	return c.Source.Uint64()
}

// counted has the game in a slot, which has not made a move yet, draw from a source that counts.
func counted[S game.State[S]](s *liveGame[S], seed uint64) *counter {
	c := &counter{Source: random.New(seed, random.Test)}
	s.rng = rand.New(c)
	s.think()
	return c
}

// search searches for the slot's next move.
func search[S game.State[S]](t *testing.T, s *liveGame[S]) {
	t.Helper()
	o := &oracle[S]{value: anyValue}
	value := make([]float32, 1)
	for !s.search.Done() {
		leaf, status := s.search.Select()
		if status == mcts.Known {
			continue
		}
		noError(t, o.Evaluate([]S{leaf}, [][]float32{s.prior}, value))
		s.search.Expand(s.prior, value[0])
	}
}

// eachMove plays games, and calls searched after each search and moved after each move that does not end its game.
func eachMove[S game.State[S]](t *testing.T, s *liveGame[S], searched, moved func()) {
	t.Helper()
	for number := range uint64(20) {
		for s.begin(7, number, 3); ; moved() {
			search(t, s)
			searched()
			if s.move() {
				break
			}
		}
	}
}

// Searches in the ending have 16 simulations, and no others.
func TestEndingSimulations(t *testing.T) {
	cfg := testConfig()
	cfg.EndingPlies = 20
	constants := alphaZeroSearch()
	constants.Simulations = 24
	games, _ := generate(t, searchPool(connect4.Standard(), cfg, constants, 2, anyValue), 0, 40)
	counts := map[bool]map[uint32]int{false: {}, true: {}}
	for _, g := range games {
		for row, n := range g.Simulations {
			proven := n == 0 || slices.Contains([]float32{-1, 0, 1}, g.Values[row])
			if !proven {
				counts[42-(g.Opening+row) <= 20][n]++
			}
		}
	}
	for ending, want := range map[bool]uint32{false: 24, true: 16} {
		if len(counts[ending]) != 1 || counts[ending][want] == 0 {
			t.Errorf("in the ending %v: searches by their simulations %v, want %d in all", ending, counts[ending], want)
		}
	}
	for _, test := range []struct{ plies, simulations, left, want int }{
		{0, 50, 1, 50}, {20, 50, 21, 50}, {20, 50, 20, 16}, {20, 12, 20, 12},
	} {
		cfg.EndingPlies = test.plies
		if got := cfg.limitInEnding(test.simulations, test.left); got != test.want {
			t.Errorf("%+v: %d simulations", test, got)
		}
	}
}

// The game's generator is drawn from at fixed points: for a search's noise, if it has any, and for the move.
func TestDrawsOfASearch(t *testing.T) {
	for _, noise := range []float64{0, 0.25} {
		cfg, constants := testConfig(), alphaZeroSearch()
		constants.Simulations, constants.NoiseWeight = 12, noise
		s := newLiveGame(connect4.Standard(), cfg, constants)
		noisy := 0
		for number := range uint64(20) {
			s.begin(7, number, 3)
			c := counted(s, number)
			for {
				before := c.draws
				search(t, s)
				over := s.move()
				if n := c.draws - before; n > 1 {
					noisy++
				} else if n != 1 {
					t.Fatalf("noise %v: a search and its move drew %d times", noise, n)
				}
				if over {
					break
				}
			}
		}
		if (noisy > 0) != (noise > 0) {
			t.Errorf("noise %v: %d searches drew more than their move", noise, noisy)
		}
	}
}

// Without ReuseTree a search starts with an empty tree, so that its noise is not thinned out, unless its root is proven.
func TestSearchesStartAnew(t *testing.T) {
	for _, reuse := range []bool{false, true} {
		cfg, constants := testConfig(), alphaZeroSearch()
		cfg.ReuseTree = reuse
		constants.Simulations = 12
		s := newLiveGame(connect4.Standard(), cfg, constants)
		proven, kept := 0, 0
		eachMove(t, s, func() {}, func() {
			if s.search.Proven() != game.Unknown {
				proven++
			} else if s.search.Visits() > 0 {
				kept++
			}
		})
		if proven == 0 || (kept > 0) != reuse {
			t.Errorf("reuse_tree %v: %d searches of proven roots, %d others kept the tree", reuse, proven, kept)
		}
	}
}

// Simulations grow in a line with the model's number up to the model of the last growing iteration, and never fall.
func TestProgressiveSimulations(t *testing.T) {
	for _, test := range []struct {
		full, grow int
		model      uint64
		want       int
	}{
		{40, 0, 0, 40}, {40, 0, 7, 40},
		{40, 10, 0, 20}, {40, 10, 1, 22}, {40, 10, 5, 30}, {40, 10, 9, 38}, {40, 10, 10, 40}, {40, 10, 11, 40}, {40, 10, math.MaxUint64, 40},
		{40, 3, 1, 26}, // 26 2/3
		{64, 4, 0, 32}, {100, 4, 0, 32}, {100, 4, 1, 49}, {100, 4, 4, 100},
		{5, 2, 0, 2}, {1, 2, 0, 1}, {1, 2, 1, 1},
	} {
		cfg := Config{GrowIterations: test.grow}
		if got := cfg.simulationsFor(test.model, test.full); got != test.want {
			t.Errorf("%+v: %d simulations", test, got)
		}
	}
}

// The games of model 3, three tenths of the way from 6 to 12 simulations, have 7.
func TestGamesHaveProgressiveSimulations(t *testing.T) {
	cfg := testConfig()
	cfg.GrowIterations = 10
	games, _ := generate(t, testPool(connect4.Standard(), cfg, 2, anyValue), 0, 20)
	for _, g := range games {
		if most := slices.Max(g.Simulations); most != 7 {
			t.Errorf("game %d: at most %d simulations, want 7", g.Number, most)
		}
	}
}
