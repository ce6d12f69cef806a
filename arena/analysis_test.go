package arena

import (
	"context"
	"math"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/mcts"
)

// Every kind of analyst sees a win in one, and its numbers fit together.
func TestAnalystsSeeAWin(t *testing.T) {
	g := connect4.Standard()
	b := Builder[connect4.State]{
		Game: g, Search: mcts.Default(), Batch: 8,
		Open: func(string) (func() (mcts.Evaluator[connect4.State], error), error) {
			return func() (mcts.Evaluator[connect4.State], error) { return &mcts.Uniform[connect4.State]{}, nil }, nil
		},
	}
	s := g.Start()
	for _, a := range []int{0, 1, 0, 1, 0, 1} {
		s = s.Play(s.Legal(nil)[a])
	}
	for _, text := range []string{"uct:500", "net:m:1", "net:m:30", "net:m:400"} {
		spec, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		analyst, err := b.Analyst(spec)
		if err != nil {
			t.Fatal(err)
		}
		a, err := analyst.Analyze(context.Background(), s, random.New(1, random.Test))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, p := range a.Policy {
			sum += float64(p)
		}
		if math.Abs(sum-1) > 1e-5 || len(a.Moves) != 7 || len(a.PV) == 0 || a.PV[0] != a.Best {
			t.Errorf("%s: policy sums to %v, %d moves, best %d, pv %v", text, sum, len(a.Moves), a.Best, a.PV)
		}
		if a.Best != 0 || a.Value <= 0 {
			t.Errorf("%s: best move %d with value %v, the first column wins", text, a.Best, a.Value)
		}
		if spec.Kind == KindNet && a.Proven != mcts.Win {
			t.Errorf("%s: proven %v, want a win", text, a.Proven)
		}
	}
}

// Without simulations the policy is the network's prior.
func TestAnalystWithoutSearch(t *testing.T) {
	g := connect4.Standard()
	search := mcts.New[connect4.State](mcts.Default(), g.Actions())
	analyst := &netAnalyst[connect4.State]{search, &mcts.Uniform[connect4.State]{}, 0, g.Actions()}
	a, err := analyst.Analyze(context.Background(), g.Start(), random.New(1, random.Test))
	if err != nil {
		t.Fatal(err)
	}
	if a.Simulations != 0 || a.Value != 0 {
		t.Errorf("%d simulations, value %v, want none and 0", a.Simulations, a.Value)
	}
	for _, p := range a.Policy {
		if math.Abs(float64(p)-1.0/7) > 1e-6 {
			t.Errorf("policy %v, want 1/7 each", a.Policy)
		}
	}
}

// The bare policy says what the network says, also where a search would see a win at once.
func TestAnalystWithoutSearchProvesNothing(t *testing.T) {
	g := connect4.Standard()
	s := g.Start()
	for _, a := range []game.Action{0, 1, 0, 1, 0, 1} {
		s = s.Play(a)
	}
	analyst := &netAnalyst[connect4.State]{nil, &mcts.Uniform[connect4.State]{}, 0, g.Actions()}
	a, err := analyst.Analyze(context.Background(), s, random.New(1, random.Test))
	if err != nil {
		t.Fatal(err)
	}
	if a.Proven != mcts.Unknown || a.Value != 0 || len(a.Moves) != 7 {
		t.Errorf("proven %v, value %v, %d moves", a.Proven, a.Value, len(a.Moves))
	}
}

// A player that is nobody to ask is refused.
func TestNoAnalyst(t *testing.T) {
	if _, err := (Builder[connect4.State]{}).Analyst(Spec{Kind: KindHuman}); err == nil {
		t.Error("a human analyst was accepted")
	}
}
