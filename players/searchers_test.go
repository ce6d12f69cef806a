package players

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/internal/random"
	"tengen/mcts/uct"
	"tengen/solver"
)

// uctThinker is a thinker that searches by UCT.
func uctThinker(o Options) *Thinker[connect4.State] {
	g := connect4.Standard()
	return newThinker(g, newUCT[connect4.State](g.Actions(), uct.DefaultExploration, o.nodes(g.Actions())), o)
}

// uct:N is the same search as elsewhere, however many threads there are.
func TestUCTOfSimulations(t *testing.T) {
	g := connect4.Standard()
	for _, n := range []int{1, 63, 64, 65, 1000} {
		want := uct.New[connect4.State](uct.DefaultExploration)
		rng := random.New(1, random.Playouts, 0)
		want.Reset(g.Start())
		want.Run(t.Context(), n, rng)
		for _, threads := range []int{1, 3} {
			o := options()
			o.Threads = threads
			got := think(t, uctThinker(o), Limit{Simulations: n})
			if got.Simulations != n || !reflect.DeepEqual(got.Moves, want.Stats(nil)) || got.Value != want.Value() {
				t.Errorf("%d playouts, %d threads: %+v, want %+v", n, threads, got.Moves, want.Stats(nil))
			}
		}
	}
}

// Without a limit of playouts, the tree grows to its largest size.
func TestUCTGrows(t *testing.T) {
	o := options()
	o.MaxNodes = 3000
	thinker := uctThinker(o)
	thinker.Set(At(gametest.Replay(t, connect4.Standard(), "44353")))
	answer := think(t, thinker, Limit{})
	if err := checkAnswer(thinker.line.Position, answer); err != nil {
		t.Error(err)
	}
	if answer.Simulations != 3000 {
		t.Errorf("%d simulations, want 3000", answer.Simulations)
	}
}

// The tree of a move is kept, and no playout of it made again.
func TestUCTKeepsTheTree(t *testing.T) {
	thinker, limit := build(t, "uct:1000", options())
	before := think(t, thinker, limit)
	advance(thinker, before.Best)
	after := think(t, thinker, Limit{Simulations: 1})
	if want := before.Moves[before.Best].Visits; after.Kept != want || after.Simulations != want {
		t.Errorf("%d playouts kept and %d at the end, want the %d of the move", after.Kept, after.Simulations, want)
	}
	if len(before.PV) < 2 || after.PV[0] != before.PV[1] {
		t.Errorf("pv %v, then %v", before.PV, after.PV)
	}
}

// Each depth is reported as soon as it is finished. Stopped then, the answer is what a search of that depth finds; and a
// later thought that is too short does not unlearn it.
func TestAlphaBetaAnswersWithTheLastDepth(t *testing.T) {
	g := connect4.Standard()
	root := gametest.Replay(t, g, "4435")
	for stopAt := 1; stopAt <= 5; stopAt++ {
		player, err := newAlphaBeta(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		thinker := newThinker(g, player, options())
		thinker.Set(At(root))
		s := thinker.searcher.(*alphaBetaSearcher[connect4.State])
		ctx, cancel := context.WithCancel(t.Context())
		depth := 0
		err = s.search(ctx, Limit{}, func(news bool) {
			if depth++; s.found.Depth != depth || !news {
				t.Errorf("depth %d is reported when %d is due", s.found.Depth, depth)
			}
			if depth == stopAt {
				cancel()
			}
		})
		if err != nil || depth != stopAt {
			t.Errorf("error %v, %d depths reported, want %d", err, depth, stopAt)
		}
		var want solver.Result
		for want = range s.searcher.Deepen(t.Context(), root) {
			if want.Depth == stopAt {
				break
			}
		}
		if !reflect.DeepEqual(s.found, want) {
			t.Errorf("stopped after depth %d: %+v, want %+v", stopAt, s.found, want)
		}
		answer, err := thinker.Think(ended(t), Limit{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkAnswer(root, answer); err != nil || answer.Simulations != int(want.Nodes) {
			t.Errorf("%v; %d positions after a thought too short, %d before", err, answer.Simulations, want.Nodes)
		}
	}
}

// The depth of the SPEC ends a thought, a proof ends it sooner.
func TestAlphaBetaEnds(t *testing.T) {
	thinker, limit := build(t, "alphabeta:4", options())
	think(t, thinker, limit)
	if depth := thinker.searcher.(*alphaBetaSearcher[connect4.State]).found.Depth; depth != 4 {
		t.Errorf("depth %d, want 4", depth)
	}
	thinker.Set(At(gametest.Replay(t, connect4.Standard(), "121212")))
	if r := think(t, thinker, limit); r.Proven != game.Win || r.Value != 1 || r.Best != 0 {
		t.Errorf("%+v, want a win in one", r.Analysis)
	}
}

// A solver that is stopped has proven nothing, and still neither misses a win in one nor allows it.
func TestSolverStopped(t *testing.T) {
	g := connect4.Standard()
	for moves, want := range map[string]struct {
		proven game.Result
		best   int
	}{"": {game.Unknown, -1}, "121212": {game.Win, 0}, "12121": {game.Unknown, 0}} {
		thinker, _ := build(t, "solver", options())
		thinker.Set(At(gametest.Replay(t, g, moves)))
		answer, err := thinker.Think(ended(t), Limit{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkAnswer(thinker.line.Position, answer); err != nil {
			t.Error(err)
		}
		if answer.Proven != want.proven || want.best >= 0 && int(answer.Best) != want.best {
			t.Errorf("%q: best %d, proven %v", moves, answer.Best, answer.Proven)
		}
	}
}

// Given the time, it knows.
func TestSolverSolves(t *testing.T) {
	thinker, limit := build(t, "solver", options())
	thinker.Set(At(gametest.Replay(t, connect4.Standard(), "2252576253462244111563365343671351441"))) // Pons, end-easy: -1
	answer := think(t, thinker, limit)
	if answer.Proven != game.Loss || answer.Value != -1 {
		t.Errorf("%+v, want a loss", answer.Analysis)
	}
	if again := think(t, thinker, limit); !reflect.DeepEqual(again.Analysis, answer.Analysis) {
		t.Error("solved a second time")
	}
}

// asked is a solver that answers by a function.
type asked func() (solver.Score, error)

func (a asked) Solve(context.Context, connect4.State) (solver.Score, error) { return a() }

func (a asked) Nodes() uint64 { return 0 }

// exactThinker is a thinker that asks a solver.
func exactThinker(s solver.Solver[connect4.State]) *Thinker[connect4.State] {
	return newThinker(connect4.Standard(), newExact(connect4.Standard().Actions(), s), options())
}

func TestSolverFails(t *testing.T) {
	broken := errors.New("broken")
	thinker := exactThinker(asked(func() (solver.Score, error) { return 0, broken }))
	if _, err := thinker.Think(t.Context(), Limit{}, nil); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestOptions(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Options){
		"threads": func(o *Options) { o.Threads = 257 },
		"batch":   func(o *Options) { o.Batch = 65 },
		"nodes":   func(o *Options) { o.MaxNodes = -1 },
	} {
		o := Default()
		change(&o)
		if o.Validate() == nil {
			t.Errorf("%s out of range are valid", name)
		}
	}
}
