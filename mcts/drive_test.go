package mcts_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/errtest"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/internal/searchtest"
)

// With one leaf in flight per tree, Drive makes of each what it makes of it alone, whoever evaluates.
func TestTreesDoNotDependOnOthers(t *testing.T) {
	checkTogether(t, withProver(0), withProver(50))
}

// checkTogether compares searches of which every other one is of the one and of the other kind.
func checkTogether(t *testing.T, kinds ...mcts.Config) {
	t.Helper()
	g := connect4.Standard()
	ev := hashed[connect4.State](1)
	for _, batch := range []int{1, 3, 4, 64} {
		var together, alone []*mcts.Search[connect4.State]
		for seed := range uint64(12) {
			root := searchtest.RandomPosition(g, int(3*seed), random.New(seed, random.Test)) // the last ones are soon proven or over
			for _, list := range []*[]*mcts.Search[connect4.State]{&together, &alone} {
				*list = append(*list, begun(kinds[int(seed)%len(kinds)], g.Actions(), root, 200, random.New(seed, random.Test)))
			}
		}
		evaluators := slices.Repeat([]mcts.Evaluator[connect4.State]{ev}, 1+batch%2)
		if err := mcts.Drive(t.Context(), together, evaluators, mcts.DriveOptions{Batch: batch}); err != nil {
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

// Drive fills its batches: with as many searches as leaves in a batch, every evaluation but those at the end is full.
func TestManyTreesFillBatches(t *testing.T) {
	const searches, simulations = 12, 50
	g := mnk.Gomoku() // too large to prove anything
	for _, batch := range []int{1, 4, 12, 100} {
		var list []*mcts.Search[mnk.State]
		for range searches {
			list = append(list, begun(alphaZero(), g.Actions(), g.Start(), simulations, nil))
		}
		ev := &counting[mnk.State]{}
		if err := mcts.Drive(t.Context(), list, []mcts.Evaluator[mnk.State]{ev}, mcts.DriveOptions{Batch: batch}); err != nil {
			t.Fatal(err)
		}
		full := min(batch, searches)
		if ev.leaves != searches*simulations || ev.calls != ev.leaves/full || ev.largest != full {
			t.Errorf("batch %d: %d leaves in %d calls, the largest of %d", batch, ev.leaves, ev.calls, ev.largest)
		}
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

// Drive makes exactly the number of simulations asked for, whatever the batch, and leaves nothing in flight. Several leaves in
// flight need fewer evaluations, as virtual loss keeps them apart (Chaslot et al. 2008, section 3.3).
func TestDriveIsExact(t *testing.T) {
	g := connect4.Standard()
	for _, batch := range []int{1, 2, 7, 16, 255} {
		for _, simulations := range []int{1, 2, 15, 16, 17, 300} {
			s := begun(alphaZero(), g.Actions(), g.Start(), simulations, nil)
			ev := &counting[connect4.State]{}
			drive(t, s, ev, batch)
			sum := 1
			for _, stat := range s.Stats(nil) {
				sum += stat.Visits
			}
			if s.Simulations() != simulations || sum != simulations || ev.largest > batch {
				t.Errorf("batch %d: %d simulations and %d visits, want %d; largest evaluation %d",
					batch, s.Simulations(), sum, simulations, ev.largest)
			}
			if simulations == 300 && batch <= 16 && (ev.calls > 300/batch*3/2+batch || ev.largest != batch) {
				t.Errorf("batch %d: %d evaluations for 300 simulations, the largest of %d", batch, ev.calls, ev.largest)
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

// A tree with fewer leaves than the batch ends like any other, as soon as its root is proven; without trees there is nothing to do.
func TestDriveTinyTrees(t *testing.T) {
	for _, test := range []struct {
		lines string
		want  game.Result
	}{
		{"a", game.Unknown}, // one leaf at a time, for ever
		{"a=0", game.Draw},
		{"aa=0 b=+1", game.Draw},
		{"aaa=-1 aba=-1 b", game.Win},
		{"a b c=-1", game.Win},
	} {
		for _, batch := range []int{1, 8, 64} {
			s := begun(alphaZero(), toyActions, newToy(test.lines), 100, nil)
			drive(t, s, &mcts.Uniform[toy]{}, batch)
			if s.Proven() != test.want || (s.Simulations() == 100) != (test.want == game.Unknown) {
				t.Errorf("%q: proven a %v after %d simulations", test.lines, s.Proven(), s.Simulations())
			}
			checkNothingInFlight(t, s)
		}
	}
	if err := mcts.Drive[toy](t.Context(), nil, nil, mcts.DriveOptions{}); err != nil {
		t.Error(err)
	}
}

// A search is done after Config.Simulations, unless Begin says otherwise. They count from Reset or Advance, over several calls of
// Drive.
func TestBudgetOfSimulations(t *testing.T) {
	cfg := alphaZero()
	cfg.Simulations = 37
	s := mcts.New[toy](cfg, toyActions)
	s.Reset(newToy("a b"))
	for _, step := range []struct{ begin, want int }{{10, 10}, {37, 37}, {0, 37}, {50, 50}, {40, 50}} {
		if step.begin > 0 {
			s.Begin(step.begin, nil)
		}
		if drive(t, s, &mcts.Uniform[toy]{}, 4); s.Simulations() != step.want || s.Visits() != step.want || !s.Done() {
			t.Errorf("%+v: %d simulations, done %v", step, s.Simulations(), s.Done())
		}
	}
	s.Advance(letter('a'))
	if run(t, s, &mcts.Uniform[toy]{}); s.Simulations() != 37 {
		t.Errorf("%d simulations after Advance, want 37", s.Simulations())
	}
	errtest.Panics(t, func() { s.Begin(0, nil) })
}

// A search that is stopped is whole, and has expanded its root however soon that was, so that there is a move to play.
func TestDriveStopped(t *testing.T) {
	for _, calls := range []int{0, 1, 5} {
		ctx, cancel := context.WithCancel(t.Context())
		if calls == 0 {
			cancel()
		}
		s := begun(alphaZero(), toyActions, newToy("a b"), 1000, nil)
		ev := &counting[toy]{}
		ev.during = func() error {
			if ev.calls == calls {
				cancel()
			}
			return nil
		}
		o := mcts.DriveOptions{Batch: 2, InFlight: func(int) int { return 2 }}
		if err := mcts.Drive(ctx, []*mcts.Search[toy]{s}, []mcts.Evaluator[toy]{ev}, o); err != nil {
			t.Error(err)
		}
		if ev.calls != max(1, calls) {
			t.Errorf("%d evaluations, stopped during number %d", ev.calls, calls)
		}
		checkNothingInFlight(t, s)
		if a := decided(s, 0, random.New(1, random.Test)).Action; a != letter('a') && a != letter('b') {
			t.Errorf("plays %d", a)
		}
		done := s.Simulations()
		if simulate(t, s, ev, done+10); s.Simulations() != done+10 {
			t.Errorf("%d simulations, want %d", s.Simulations(), done+10)
		}
	}
}

// An evaluator's error is returned as it is, and its panic goes on, when nothing is evaluated any more. Leaves stay in flight, so
// only Reset may follow.
func TestEvaluatorFails(t *testing.T) {
	failure := errors.New("no power")
	for _, n := range []int{1, 3} {
		failing := &counting[toy]{}
		failing.during = func() error {
			if failing.calls == 3 {
				return failure
			}
			return nil
		}
		evaluators := []mcts.Evaluator[toy]{failing, &mcts.Uniform[toy]{}, &mcts.Uniform[toy]{}}[:n]
		s := mcts.New[toy](alphaZero(), toyActions)
		s.Reset(newToy("a b"))
		drive := func() error {
			return mcts.Drive(t.Context(), []*mcts.Search[toy]{s}, evaluators, mcts.DriveOptions{Batch: 4, InFlight: func(int) int { return 4 }})
		}
		if err := drive(); err != failure {
			t.Errorf("error %v", err)
		}
		errtest.Panics(t, func() { _ = drive() })
		s.Reset(newToy("a b"))
		if err := drive(); err != nil || s.Simulations() != 100 {
			t.Errorf("after Reset: %d simulations, error %v", s.Simulations(), err)
		}
		s.Reset(newToy("a b"))
		failing.calls, failing.during = 0, func() error { panic("no power") }
		errtest.Panics(t, func() { _ = drive() })
	}
}

// No more than 255 leaves of a tree are in flight, whatever is asked for.
func TestBatchOutOfRange(t *testing.T) {
	g := mnk.Gomoku()
	s := mcts.New[mnk.State](alphaZero(), g.Actions())
	for _, batch := range []int{-1, 0} {
		s.Reset(g.Start())
		errtest.Panics(t, func() { drive(t, s, &mcts.Uniform[mnk.State]{}, batch) })
	}
	s.Reset(g.Start())
	s.Begin(2000, nil)
	ev := &counting[mnk.State]{}
	if drive(t, s, ev, 256); ev.largest != 255 || s.Simulations() != 2000 {
		t.Errorf("%d leaves in flight, %d simulations", ev.largest, s.Simulations())
	}
	errtest.Panics(t, func() {
		_ = mcts.Drive(t.Context(), []*mcts.Search[mnk.State]{s}, nil, mcts.DriveOptions{Batch: 1})
	})
}
