package players

import (
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
)

// delayed is a fake evaluator whose evaluations take a random time.
func delayed[S game.State[S]](seed uint64) mcts.Evaluator[S] {
	rng := random.New(seed, random.Test)
	return &fake[S]{func(int) error {
		time.Sleep(time.Duration(rng.IntN(1000)))
		return nil
	}}
}

// Positions share batches, unless each has its own time limit.
func TestNetTogether(t *testing.T) {
	p := newNet(Network[connect4.State]{Search: mcts.Default()}, 7, fakes[connect4.State](1, nil), Options{Threads: 1, Batch: 16, MaxNodes: 1000, speculative: true})
	if limited, timed := p.Together(Limit{Simulations: 5}), p.Together(Limit{Time: 1}); limited != 16 || timed != 1 {
		t.Errorf("%d positions at once, %d by time; want 16 and 1", limited, timed)
	}
}

// A search limited by simulations finds the same however long each evaluation takes and however often it reports.
func TestTimingChangesNothing(t *testing.T) {
	t.Run("connect4", func(t *testing.T) { testTiming(t, connect4.Standard()) })
	t.Run("gomoku", func(t *testing.T) { testTiming(t, mnk.Gomoku()) })
}

func testTiming[S game.State[S]](t *testing.T, g game.Game[S]) {
	for _, batches := range []int{1, 3} {
		for _, size := range []int{1, 8} {
			var want [2]Report
			for seed := range uint64(3) {
				synctest.Test(t, func(t *testing.T) {
					o := options()
					o.Batch = size
					var evaluators []mcts.Evaluator[S]
					for i := range batches {
						evaluators = append(evaluators, delayed[S](100*seed+uint64(i)))
					}
					var report func(Report)
					if seed%2 == 1 {
						o.Interval = 0
						report = func(Report) {}
					}
					thinker := netThinker(g, evaluators, o)
					var got [2]Report
					for i := range got {
						answer, err := thinker.Think(t.Context(), Limit{Simulations: 400}, report)
						if err != nil {
							t.Fatal(err)
						}
						answer.Elapsed = 0
						got[i] = answer
						advance(thinker, answer.Best)
					}
					if seed == 0 {
						want = got
					} else if !reflect.DeepEqual(got, want) {
						t.Errorf("%d batches of %d: %+v, then %+v", batches, size, want[0].Analysis, got[0].Analysis)
					}
				})
			}
		}
	}
}

// A real network's search repeats itself on any number of cores.
func TestNetworkRepeatsItself(t *testing.T) {
	o := options()
	o.Threads, o.Batch = 3, 8
	var want Report
	for i := range 3 {
		got := think(t, newReal(connect4.Standard(), o), Limit{Simulations: 800})
		if i == 0 {
			want = got
		} else if !reflect.DeepEqual(got.Analysis, want.Analysis) {
			t.Errorf("%+v, then %+v", want.Analysis, got.Analysis)
		}
	}
}

// A limit of simulations is met exactly and counts those that were kept; what is reached already costs nothing.
func TestSimulations(t *testing.T) {
	for _, batches := range []int{1, 2, 64} {
		evaluations := 0
		count := func(leaves int) error { evaluations += leaves; return nil }
		o := options()
		evaluators := append(fakes[connect4.State](batches-1, nil), fakes[connect4.State](1, count)...)
		thinker := netThinker(connect4.Standard(), evaluators, o)
		kept := 0
		for _, n := range []int{1, 2, 3, 60, 333, 1500} {
			if r := think(t, thinker, Limit{Simulations: n}); r.Simulations != n || r.Kept != kept {
				t.Errorf("%d batches: %d simulations, %d kept, want %d and %d", batches, r.Simulations, r.Kept, n, kept)
			}
			kept = n
		}
		before := evaluations
		if r := think(t, thinker, Limit{Simulations: 1000}); r.Simulations != 1500 || evaluations != before {
			t.Errorf("%d batches: %d simulations after %d more evaluations, want those that there were",
				batches, r.Simulations, evaluations-before)
		}
	}
}

// The leaves in flight grow with the tree, and all evaluators are used before batches become large.
func TestSmallTreesHaveFewLeavesInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaves, most := make(chan int), 0
		flight := 0
		before := func(n int) error {
			leaves <- n
			time.Sleep(time.Second)
			leaves <- -n
			return nil
		}
		go func() {
			for n := range leaves {
				flight += n
				most = max(most, flight)
			}
		}()
		o := options()
		o.Batch = 8
		thinker := netThinker(mnk.Gomoku(), fakes[mnk.State](4, before), o)
		for _, n := range []int{40, 90, 140, 1000, 3000} {
			most = 0
			think(t, thinker, Limit{Simulations: n})
			synctest.Wait()
			if want := min(32, leavesInFlight(n-1)); most > want || n == 3000 && most < 32 {
				t.Errorf("%d leaves in flight in a tree of %d, want at most %d", most, n, want)
			}
		}
		close(leaves)
	})
}

// A position that is solved by the search needs no further thought.
func TestProofEndsTheThought(t *testing.T) {
	thinker := newFake(nil)
	thinker.Set(At(gametest.Replay(t, connect4.Standard(), "121212")))
	r := think(t, thinker, Limit{})
	if r.Proven != game.Win || r.Best != 0 || r.Simulations > 1 {
		t.Errorf("%+v, want a win proven at once", r.Analysis)
	}
}

// A warm search allocates per batch, not per simulation.
func TestAllocations(t *testing.T) {
	o := options()
	o.Batch = 8
	thinker := netThinker(connect4.Standard(), []mcts.Evaluator[connect4.State]{&mcts.Uniform[connect4.State]{}}, o)
	allocations := func(simulations int) float64 {
		return testing.AllocsPerRun(3, func() {
			thinker.Reset(At(connect4.Standard().Start()))
			think(t, thinker, Limit{Simulations: simulations})
		})
	}
	allocations(8000)
	if perBatch := (allocations(8000) - allocations(4000)) / (4000 / 8); perBatch > 3 {
		t.Errorf("%.1f allocations a batch of 8", perBatch)
	}
}

// BenchmarkStop is how long a thought of ten seconds takes to answer when it is stopped after a tenth of a second.
func BenchmarkStop(b *testing.B) {
	b.Run("connect4", func(b *testing.B) { benchmarkStop(b, connect4.Standard()) })
	b.Run("gomoku", func(b *testing.B) { benchmarkStop(b, mnk.Gomoku()) })
}

func benchmarkStop[S game.State[S]](b *testing.B, g game.Game[S]) {
	thinker := newReal(g, Default())
	var total, most time.Duration
	for b.Loop() {
		thinker.Reset(At(g.Start()))
		answered := make(chan time.Time)
		go func() {
			if _, err := thinker.Think(b.Context(), Limit{Time: 10 * time.Second}, nil); err != nil {
				b.Error(err)
			}
			answered <- time.Now()
		}()
		time.Sleep(100 * time.Millisecond)
		stopped := time.Now()
		thinker.Stop()
		latency := (<-answered).Sub(stopped)
		total, most = total+latency, max(most, latency)
	}
	b.ReportMetric(float64(total.Microseconds())/float64(b.N)/1000, "ms/stop")
	b.ReportMetric(float64(most.Microseconds())/1000, "ms/slowest-stop")
}

// BenchmarkThink is the speed of a thought, to compare with that of the network alone.
func BenchmarkThink(b *testing.B) {
	for _, threads := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			const simulations = 4000
			o := Default()
			o.Threads = threads
			thinker := newReal(connect4.Standard(), o)
			b.ReportAllocs()
			for b.Loop() {
				thinker.Reset(At(connect4.Standard().Start()))
				think(b, thinker, Limit{Simulations: simulations})
			}
			b.ReportMetric(float64(simulations*b.N)/b.Elapsed().Seconds(), "simulations/s")
		})
	}
}
