package mnk_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"tengen/game"
	"testing"

	"pgregory.net/rapid"

	"tengen/internal/fulltest"
	"tengen/solver"
	mnksolver "tengen/solver/mnk"
)

// TestKnownBoards compares with published results. 6,6,5 follows from that of 8,8,5; 7,4,4 is this solver's own.
func TestKnownBoards(t *testing.T) {
	const draw = 0
	for _, test := range []struct {
		numbers string
		plies   int // until the first player has won
		long    bool
	}{
		{"3,3,3", draw, false}, {"4,4,3", 5, false}, {"3,4,3", 7, false}, {"4,3,3", 7, false},
		{"4,4,4", draw, false}, {"5,5,4", draw, false}, {"6,5,4", 11, false}, {"5,6,4", 11, false}, {"6,6,4", 11, false},
		{"6,6,5", draw, false}, {"7,4,4", draw, true},
	} {
		if test.long && !fulltest.On {
			continue
		}
		g := parse(t, test.numbers)
		want := solver.Score(0)
		if test.plies > 0 {
			want = solver.WinAt(g.Actions(), test.plies)
		}
		s := newSolver(t, g, 1<<20)
		if got := solve(t, s, g.Start()); got != want {
			t.Errorf("%s: score %d; want %d", test.numbers, got, want)
		}
		t.Logf("%s: %d nodes", test.numbers, s.Nodes())
	}
}

// TestProperties draws positions of boards too large for plain minimax. Their scores are the best of their successors',
// the same for all images, and do not depend on the table.
func TestProperties(t *testing.T) {
	boards := []string{"4,4,3", "4,4,4", "5,4,4", "6,4,3", "6,5,4", "6,6,4", "7,7,4", "8,8,3", "6,6,6"}
	rapid.Check(t, func(rt *rapid.T) {
		g := parse(t, rapid.SampledFrom(boards).Draw(rt, "board"))
		strong := newSolver(t, g, 1<<14)
		stones := rapid.IntRange(g.Actions()/2, g.Actions()-1).Draw(rt, "stones")
		s, moves := wander(g, stones, func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "move") })
		rt.Logf("%s after %q", g.Name(), game.FormatMoves(g.Start(), moves))
		score := solve(t, strong, s)
		if got := solve(t, newSolver(t, g, 2), s); got != score {
			rt.Errorf("score %d with a table of two entries; want %d", got, score)
		}
		if _, over := s.Outcome(); !over {
			scores, err := solver.Moves(t.Context(), strong, s, s.Legal(nil))
			if err != nil {
				rt.Fatal(err)
			}
			if best := slices.Max(scores); best != score {
				rt.Errorf("score %d; the best move's is %d", score, best)
			}
		}
		for i, symmetry := range g.Symmetries() {
			image := g.Start()
			for _, a := range moves {
				image = image.Play(symmetry.Actions[a])
			}
			if got := solve(t, newSolver(t, g, 2), image); got != score {
				rt.Errorf("score %d under symmetry %d; want %d", got, i, score)
			}
		}
	})
}

func TestCancelledSolve(t *testing.T) {
	g := parse(t, "8,8,5")
	s := newSolver(t, g, 1<<10)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Solve(ctx, g.Start()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want %v", err, context.Canceled)
	}
}

// endsSoon is a context that ends once it has been asked a few times.
type endsSoon struct {
	context.Context
	left int
}

func (c *endsSoon) Err() error {
	if c.left--; c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestStoppedSolve stops searches in the midst: what the table has learnt by then is true, and the next continues from it.
func TestStoppedSolve(t *testing.T) {
	g := parse(t, "5,5,4")
	s := newSolver(t, g, 1<<16)
	stopped := 0
	score, err := s.Solve(&endsSoon{t.Context(), 3}, g.Start())
	for ; err != nil && stopped < 100; stopped++ {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("error %v; want %v", err, context.DeadlineExceeded)
		}
		score, err = s.Solve(&endsSoon{t.Context(), 3}, g.Start())
	}
	if stopped < 2 || err != nil || score != 0 {
		t.Errorf("stopped %d times, then score %d, error %v; want several, 0, none", stopped, score, err)
	}
}

func TestNoAllocation(t *testing.T) {
	g := parse(t, "6,6,4")
	s := newSolver(t, g, 1<<8)
	if allocations := testing.AllocsPerRun(1, func() { solve(t, s, g.Start()) }); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func TestErrors(t *testing.T) {
	for numbers, message := range map[string]string{
		"13,5,5":      "mnk:13,5,5 has 65 cells",
		"15,15,5":     "alphabeta:DEPTH",
		"5,5,4,exact": "mnk:5,5,4,exact has the rule exact, but the exact solver of m,n,k games knows only freestyle",
	} {
		if _, err := mnksolver.New(parse(t, numbers), 1<<10); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: error %v; want one with %q", numbers, err, message)
		}
	}
}
