package mcts_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/internal/searchtest"
)

// With one leaf in flight per tree, Lockstep makes of each what Run makes of it alone.
func TestLockstepEqualsRun(t *testing.T) {
	checkLockstep(t, withProver(0), withProver(50))
	checkLockstep(t, withGumbel(4, 0), withGumbel(16, 40))
}

// checkLockstep compares searches of which every other one is of the one and of the other kind.
func checkLockstep(t *testing.T, kinds ...mcts.Config) {
	t.Helper()
	g := connect4.Standard()
	ev := hashed[connect4.State](1)
	for _, batch := range []int{1, 3, 64} {
		var together, alone []*mcts.Search[connect4.State]
		for seed := range uint64(12) {
			root := searchtest.RandomPosition(g, int(3*seed), random.New(seed, random.Test)) // the last ones are soon proven or over
			for _, list := range []*[]*mcts.Search[connect4.State]{&together, &alone} {
				s := mcts.New[connect4.State](kinds[int(seed)%len(kinds)], g.Actions())
				s.Reset(root)
				s.Begin(200, random.New(seed, random.Test))
				*list = append(*list, s)
			}
		}
		if err := mcts.Lockstep(t.Context(), together, ev, batch); err != nil {
			t.Fatal(err)
		}
		for i, s := range alone {
			run(t, s, ev)
			if got := together[i]; !slices.Equal(got.Stats(nil), s.Stats(nil)) ||
				got.Value() != s.Value() || got.Proven() != s.Proven() || got.Simulations() != s.Simulations() {
				t.Errorf("batch %d: search %d has %v after %d simulations, want %v after %d",
					batch, i, got.Stats(nil), got.Simulations(), s.Stats(nil), s.Simulations())
			}
		}
	}
}

// Lockstep fills its batches: with as many searches as leaves in a batch, every evaluation but those at the end is full.
func TestLockstepFillsBatches(t *testing.T) {
	const searches, simulations = 12, 50
	g := mnk.Gomoku() // too large to prove anything
	for _, batch := range []int{1, 4, 12, 100} {
		var list []*mcts.Search[mnk.State]
		for range searches {
			s := mcts.New[mnk.State](alphaZero(), g.Actions())
			s.Reset(g.Start())
			s.Begin(simulations, nil)
			list = append(list, s)
		}
		ev := &counting[mnk.State]{}
		if err := mcts.Lockstep(t.Context(), list, ev, batch); err != nil {
			t.Fatal(err)
		}
		full := min(batch, searches)
		if ev.leaves != searches*simulations || ev.calls != ev.leaves/full || ev.largest != full {
			t.Errorf("batch %d: %d leaves in %d calls, the largest of %d", batch, ev.leaves, ev.calls, ev.largest)
		}
	}
}

func TestLockstepOfNothing(t *testing.T) {
	if err := mcts.Lockstep[toy](t.Context(), nil, nil, 8); err != nil {
		t.Fatal(err)
	}
}

// counting is an evaluator that counts its calls, and may act during each.
type counting[S game.State[S]] struct {
	mcts.Uniform[S]
	calls, leaves, largest int
	during                 func() error
}

func (c *counting[S]) Evaluate(leaves []S, priors [][]float32, values []float32) error {
	c.calls++
	c.leaves += len(leaves)
	c.largest = max(c.largest, len(leaves))
	if c.during != nil {
		if err := c.during(); err != nil {
			return err
		}
	}
	return c.Uniform.Evaluate(leaves, priors, values)
}

// Run makes exactly the number of simulations asked for, whatever the batch, and leaves nothing in flight.
func TestRunIsExact(t *testing.T) {
	g := connect4.Standard()
	for _, batch := range []int{1, 2, 7, 16, 255} {
		for _, simulations := range []int{1, 2, 15, 16, 17, 300} {
			s := mcts.New[connect4.State](alphaZero(), g.Actions())
			s.Reset(g.Start())
			ev := &counting[connect4.State]{}
			s.Begin(simulations, nil)
			if err := mcts.Run(t.Context(), s, ev, mcts.Budget{}, batch); err != nil {
				t.Fatal(err)
			}
			sum := 1
			for _, stat := range s.Stats(nil) {
				sum += stat.Visits
			}
			if s.Simulations() != simulations || sum != simulations || ev.largest > batch {
				t.Errorf("batch %d: %d simulations and %d visits, want %d; largest evaluation %d",
					batch, s.Simulations(), sum, simulations, ev.largest)
			}
			checkNothingInFlight(t, s)
		}
	}
}

func checkNothingInFlight[S game.State[S]](t *testing.T, s *mcts.Search[S]) {
	t.Helper()
	s.Walk(func(path []game.Action, e mcts.EdgeStat) {
		if e.Pending != 0 {
			t.Fatalf("after %v: %d simulations in flight", path, e.Pending)
		}
	})
}

// Several leaves in flight make for fewer evaluations. Virtual loss keeps them apart (Chaslot et al. 2008, section 3.3).
func TestRunFillsBatches(t *testing.T) {
	g := mnk.Gomoku()
	s := mcts.New[mnk.State](alphaZero(), g.Actions())
	s.Reset(g.Start())
	ev := &counting[mnk.State]{}
	s.Begin(801, nil)
	if err := mcts.Run(t.Context(), s, ev, mcts.Budget{}, 8); err != nil {
		t.Fatal(err)
	}
	if ev.calls > 110 || ev.largest != 8 {
		t.Errorf("%d evaluations for 801 simulations, the largest of %d", ev.calls, ev.largest)
	}
}

// A tree with fewer leaves than the batch ends like any other.
func TestRunOnTinyTrees(t *testing.T) {
	for _, test := range []struct {
		lines string
		want  mcts.Result
	}{
		{"a", mcts.Unknown}, // one leaf at a time, for ever
		{"a=0", mcts.Draw},
		{"aa=0 b=+1", mcts.Draw},
		{"aaa=-1 aba=-1 b", mcts.Win},
	} {
		s := mcts.New[toy](alphaZero(), toyActions)
		s.Reset(newToy(test.lines))
		s.Begin(100, nil)
		if err := mcts.Run(t.Context(), s, &mcts.Uniform[toy]{}, mcts.Budget{}, 64); err != nil {
			t.Fatal(err)
		}
		if s.Proven() != test.want || test.want == mcts.Unknown && s.Simulations() != 100 {
			t.Errorf("%q: proven a %v after %d simulations", test.lines, s.Proven(), s.Simulations())
		}
		checkNothingInFlight(t, s)
	}
}

// The search ends when its root is proven.
func TestRunStopsAtProof(t *testing.T) {
	for _, batch := range []int{1, 8} {
		s := mcts.New[toy](alphaZero(), toyActions)
		s.Reset(newToy("a b c=-1"))
		s.Begin(1000, nil)
		if err := mcts.Run(t.Context(), s, &mcts.Uniform[toy]{}, mcts.Budget{}, batch); err != nil {
			t.Fatal(err)
		}
		if s.Proven() != mcts.Win || s.Simulations() > 5 {
			t.Errorf("batch %d: proven a %v after %d simulations", batch, s.Proven(), s.Simulations())
		}
	}
}

// A search is done after Config.Simulations, unless Begin says otherwise. They count from Reset or Advance, over several calls of
// Run, each of which may spend its own budget.
func TestBudgetOfSimulations(t *testing.T) {
	cfg := alphaZero()
	cfg.Simulations = 37
	s := mcts.New[toy](cfg, toyActions)
	s.Reset(newToy("a b"))
	for _, step := range []struct {
		begin  int // 0: not
		budget mcts.Budget
		want   int
		done   bool
	}{
		{0, mcts.Budget{Simulations: 10}, 10, false},
		{0, mcts.Budget{}, 37, true},
		{0, mcts.Budget{Simulations: 10}, 37, true},
		{50, mcts.Budget{Simulations: 100}, 50, true},
		{40, mcts.Budget{}, 50, true},
		{60, mcts.Budget{Simulations: 9, Time: 1000 * time.Hour}, 59, false},
		{60, mcts.Budget{Time: 1000 * time.Hour}, 60, true},
	} {
		if step.begin > 0 {
			s.Begin(step.begin, nil)
		}
		if err := mcts.Run(t.Context(), s, &mcts.Uniform[toy]{}, step.budget, 4); err != nil {
			t.Fatal(err)
		}
		if s.Simulations() != step.want || s.Done() != step.done {
			t.Errorf("%+v: %d simulations, done %v", step, s.Simulations(), s.Done())
		}
	}
	s.Advance(letter('a'))
	if run(t, s, &mcts.Uniform[toy]{}); s.Simulations() != 37 {
		t.Errorf("%d simulations after Advance, want 37", s.Simulations())
	}
	mustPanic(t, func() { s.Begin(0, nil) })
}

// A search in slices is the same search.
func TestRunGoesOn(t *testing.T) {
	g := connect4.Standard()
	ev := hashed[connect4.State](1)
	want := searched(t, alphaZero(), g.Actions(), g.Start(), ev, 300)
	s := mcts.New[connect4.State](alphaZero(), g.Actions())
	s.Reset(g.Start())
	s.Begin(300, nil)
	for _, n := range []int{1, 50, 200, 100} {
		if err := mcts.Run(t.Context(), s, ev, mcts.Budget{Simulations: n}, 1); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(s.Stats(nil), want.Stats(nil)) || s.Simulations() != 300 {
		t.Errorf("in slices %v, at once %v", s.Stats(nil), want.Stats(nil))
	}
}

// However short its time, a search opens its root, so that there is a move to play.
func TestBudgetOfTime(t *testing.T) {
	s := mcts.New[toy](alphaZero(), toyActions)
	s.Reset(newToy("a b"))
	if err := mcts.Run(t.Context(), s, &mcts.Uniform[toy]{}, mcts.Budget{Time: 1}, 4); err != nil {
		t.Fatal(err)
	}
	if a := decided(s, 0, random.New(1, random.Test)).Action; a != letter('a') && a != letter('b') {
		t.Errorf("plays %d", a)
	}
	checkNothingInFlight(t, s)
}

// A cancelled search returns the context's error and stays usable.
func TestRunCancelled(t *testing.T) {
	for _, budget := range []mcts.Budget{{}, {Simulations: 900}, {Time: 1000 * time.Hour}} {
		ctx, cancel := context.WithCancel(t.Context())
		s := mcts.New[toy](alphaZero(), toyActions)
		s.Reset(newToy("a b"))
		s.Begin(1000, nil)
		ev := &counting[toy]{}
		ev.during = func() error {
			if ev.calls == 5 {
				cancel()
			}
			return nil
		}
		if err := mcts.Run(ctx, s, ev, budget, 2); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if ev.calls != 5 {
			t.Errorf("%d evaluations, cancelled during the fifth", ev.calls)
		}
		checkNothingInFlight(t, s)
		done := s.Simulations()
		simulate(t, s, ev, done+10)
		if s.Simulations() != done+10 {
			t.Errorf("%d simulations, want %d", s.Simulations(), done+10)
		}
	}
}

func TestLockstepCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := mcts.New[toy](alphaZero(), toyActions)
	s.Reset(newToy("a b"))
	ev := &counting[toy]{during: func() error { cancel(); return nil }}
	if err := mcts.Lockstep(ctx, []*mcts.Search[toy]{s}, ev, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if s.Simulations() != 1 {
		t.Errorf("%d simulations, cancelled during the first", s.Simulations())
	}
	checkNothingInFlight(t, s)
}

// The evaluator's error is returned as it is. Its leaves stay in flight, so only Reset may follow.
func TestEvaluatorFails(t *testing.T) {
	failure := errors.New("no power")
	ev := &counting[toy]{}
	ev.during = func() error {
		if ev.calls == 3 {
			return failure
		}
		return nil
	}
	s := mcts.New[toy](alphaZero(), toyActions)
	s.Reset(newToy("a b"))
	run := func() error { return mcts.Run(t.Context(), s, ev, mcts.Budget{}, 4) }
	if err := run(); err != failure {
		t.Errorf("error %v", err)
	}
	mustPanic(t, func() { _ = run() })
	mustPanic(t, func() { _ = mcts.Lockstep(t.Context(), []*mcts.Search[toy]{s}, ev, 4) })
	s.Reset(newToy("a b"))
	if err := run(); err != nil || s.Simulations() != 100 {
		t.Errorf("after Reset: %d simulations, error %v", s.Simulations(), err)
	}
}

// From 1 to 255 leaves may be in flight.
func TestBatchOutOfRangePanics(t *testing.T) {
	g := mnk.Gomoku()
	for _, batch := range []int{-1, 0, 256} {
		s := mcts.New[mnk.State](alphaZero(), g.Actions())
		s.Reset(g.Start())
		s.Begin(5000, nil)
		mustPanic(t, func() { _ = mcts.Run(t.Context(), s, &mcts.Uniform[mnk.State]{}, mcts.Budget{}, batch) })
	}
}

// Visits counts the simulations in the tree, those that a new root has kept as well, also where the prover had opened it.
func TestVisits(t *testing.T) {
	kept := 0
	for seed := range uint64(50) {
		s := proving(seed)
		if s == nil {
			continue
		}
		if n := s.Visits(); n != 0 {
			t.Errorf("seed %d: %d visits before the first simulation", seed, n)
		}
		simulate(t, s, hashed[connect4.State](seed), 50)
		if n := s.Visits(); n != s.Simulations() {
			t.Errorf("seed %d: %d visits, want %d", seed, n, s.Simulations())
		}
		for _, move := range s.Stats(nil) {
			below, _ := s.Below([]game.Action{move.Action})
			if len(below.Moves) == 0 {
				continue
			}
			s.Advance(move.Action)
			if n := s.Visits(); n != move.Visits {
				t.Errorf("seed %d: %d visits after a move that had %d", seed, n, move.Visits)
			}
			kept++
			break
		}
	}
	if kept == 0 {
		t.Error("no new root has kept anything")
	}
}
