package arena_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/arena"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/mcts"
)

// likes is an evaluator that prefers some columns and finds every position even.
type likes []float32

func (l likes) Evaluate(leaves []connect4.State, priors [][]float32, values []float32) error {
	for i, s := range leaves {
		clear(priors[i])
		sum := float32(0)
		for _, a := range s.Legal(nil) {
			priors[i][a] = l[a]
			sum += l[a]
		}
		for a := range priors[i] {
			priors[i][a] /= sum
		}
		values[i] = 0
	}
	return nil
}

var (
	even   = likes{1, 1, 1, 1, 1, 1, 1}
	uneven = likes{1, 2, 9, 4, 3, 9, 1}
)

func newNet(ev mcts.Evaluator[connect4.State], simulations, batch int) arena.Player[connect4.State] {
	return arena.NewNet(mcts.Default(), connect4.Standard().Actions(), ev, simulations, batch)
}

func choose(t *testing.T, p arena.Player[connect4.State], positions []connect4.State, rngs []*rand.Rand) []game.Action {
	t.Helper()
	moves := make([]game.Action, len(positions))
	if err := p.Choose(t.Context(), positions, rngs, moves); err != nil {
		t.Fatal(err)
	}
	return moves
}

func position(t *testing.T, text string) connect4.State {
	t.Helper()
	g := connect4.Standard()
	moves, err := g.ParseMoves(text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := game.Replay(g, moves)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMoveDoesNotDependOnTheRestOfTheCall(t *testing.T) {
	openings, err := arena.Openings(connect4.Standard(), 8, 30, 1)
	if err != nil {
		t.Fatal(err)
	}
	var positions []connect4.State
	for _, moves := range openings {
		s, err := game.Replay(connect4.Standard(), moves)
		if err != nil {
			t.Fatal(err)
		}
		positions = append(positions, s)
	}
	rngs := func() []*rand.Rand {
		var rngs []*rand.Rand
		for i := range positions {
			rngs = append(rngs, random.New(3, random.Test, uint64(i)))
		}
		return rngs
	}
	for name, p := range map[string]arena.Player[connect4.State]{
		"random":     arena.NewRandom[connect4.State](),
		"uct":        arena.NewUCT[connect4.State](mcts.Budget{Simulations: 50}),
		"net":        newNet(even, 20, 4),
		"bare net":   newNet(even, 0, 4),
		"uneven net": newNet(uneven, 20, 100),
	} {
		together := choose(t, p, positions, rngs())
		alone := make([]game.Action, len(positions))
		for i, rng := range rngs() {
			alone[i] = choose(t, p, positions[i:i+1], []*rand.Rand{rng})[0]
		}
		if !slices.Equal(together, alone) {
			t.Errorf("%s: moves %v together, %v one by one", name, together, alone)
		}
	}
}

func TestBareNetPlaysItsPolicy(t *testing.T) {
	p := newNet(uneven, 0, 1)
	full := position(t, "333333") // the favourite column is full
	seen := map[game.Action]bool{}
	for i := range uint64(100) {
		moves := choose(t, p, []connect4.State{position(t, ""), full}, []*rand.Rand{random.New(i, random.Test), random.New(i, random.Test, 1)})
		seen[moves[0]] = true
		if moves[1] != 5 {
			t.Fatalf("action %d where only action 5 has the highest prior", moves[1])
		}
	}
	if len(seen) != 2 || !seen[2] || !seen[5] {
		t.Errorf("actions %v in 100 tries, want both of the two with the highest prior, 2 and 5", seen)
	}
}

func TestNetPlaysAProvenWin(t *testing.T) {
	// Three in column 1: action 0 wins. The evaluator would rather go anywhere else.
	s := position(t, "121314")
	aloof := likes{0.2, 1, 1, 1, 1, 1, 1}
	rngs := []*rand.Rand{random.New(1, random.Test)}
	if moves := choose(t, newNet(aloof, 400, 1), []connect4.State{s}, rngs); moves[0] != 0 {
		t.Errorf("action %d, want the winning action 0", moves[0])
	}
	if moves := choose(t, newNet(aloof, 0, 1), []connect4.State{s}, rngs); moves[0] == 0 {
		t.Error("the bare policy finds the win too, so this test proves nothing about the search")
	}
}

type brokenEvaluator struct{ err error }

func (e brokenEvaluator) Evaluate([]connect4.State, [][]float32, []float32) error { return e.err }

func TestNetReturnsTheEvaluatorsError(t *testing.T) {
	broken := errors.New("broken")
	for _, simulations := range []int{0, 10} {
		p := newNet(brokenEvaluator{broken}, simulations, 1)
		err := p.Choose(t.Context(), []connect4.State{position(t, "")}, []*rand.Rand{random.New(1, random.Test)}, make([]game.Action, 1))
		if !errors.Is(err, broken) {
			t.Errorf("%d simulations: error %v, want %v", simulations, err, broken)
		}
	}
}

func TestSearchesEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, p := range map[string]arena.Player[connect4.State]{
		"uct": arena.NewUCT[connect4.State](mcts.Budget{Simulations: 1 << 40}),
		"net": newNet(even, 1<<40, 1),
	} {
		err := p.Choose(ctx, []connect4.State{position(t, "")}, []*rand.Rand{random.New(1, random.Test)}, make([]game.Action, 1))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", name, err, context.Canceled)
		}
	}
}
