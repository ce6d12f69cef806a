package players

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/uct"
)

// A thinker stays within the memory that its nodes stand for, on several threads and over several moves, when nothing
// else limits it: as in play, serve and analyze, in gomocup with its prover, and by UCT with a tree for each thread.
func TestMemory(t *testing.T) {
	const megabytes = 8
	forced := mcts.Default()
	forced.ForcedNodes = 100
	g := connect4.Standard()
	board, err := mnk.New(game.Size{Columns: 9, Rows: 9}, 5)
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Interval, o.Batch, o.speculative = 0, 8, true
	for _, threads := range []int{1, 4} {
		o.Threads, o.MaxNodes = threads, Nodes(megabytes, g.Actions())
		wantMemory(t, "net", megabytes, func() *Thinker[connect4.State] { return netThinker(g, fakes[connect4.State](threads, nil), o) })
		wantMemory(t, "uct", megabytes, func() *Thinker[connect4.State] {
			return newThinker(g, newUCT[connect4.State](g.Actions(), uct.DefaultExploration, o.MaxNodes), o)
		})
		o.MaxNodes = Nodes(megabytes, board.Actions())
		wantMemory(t, "net with a prover", megabytes, func() *Thinker[mnk.State] {
			return newThinker(board, newNet(Network[mnk.State]{Search: forced}, board.Actions(), fakes[mnk.State](threads, nil), o), o)
		})
	}
}

// The trees of an answerer stay within its memory together, whether few or many fit, and have the simulations asked for.
func TestAnswerersShareMemory(t *testing.T) {
	const megabytes = 2
	g := connect4.Standard()
	nodes := Nodes(megabytes, g.Actions())
	for _, trees := range []int{1, 2, 5, 8} {
		p := newNet(Network[connect4.State]{Search: mcts.Default()}, g.Actions(), fakes[connect4.State](1, nil), Options{Threads: 1, Batch: 8, MaxNodes: nodes})
		answerer := &answerer[connect4.State]{algorithm: p, limit: Limit{Simulations: nodes / 2 / trees}}
		if n := answerer.Together(); n != trees {
			t.Fatalf("%d trees together, want %d", n, trees)
		}
		lines, rngs := make([]Line[connect4.State], trees+1), make([]*rand.Rand, trees+1)
		for i := range lines {
			lines[i], rngs[i] = At(g.Start()), random.New(1, random.Test)
		}
		answers := make([]*Analysis, len(lines))
		before := heap()
		if err := answerer.Analyze(t.Context(), lines, rngs, answers); err != nil {
			t.Fatal(err)
		}
		if used := heap() - before; used > megabytes<<20 {
			t.Errorf("%d trees take %.1f MB, want at most %d", trees, float64(used)/(1<<20), megabytes)
		}
		for _, a := range answers {
			if a.Simulations != nodes/2/trees {
				t.Errorf("%d of %d simulations", a.Simulations, nodes/2/trees)
			}
		}
		runtime.KeepAlive(answerer)
	}
}

// heap returns the bytes in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// wantMemory measures the heap while a thinker fills its memory for each of three moves.
func wantMemory[S game.State[S]](t *testing.T, name string, megabytes int, build func() *Thinker[S]) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that the heap is what is in use
	used := func() int {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before, most := heap(), 0
	thinker := build()
	for range 3 {
		reports := 0
		r, err := thinker.Think(t.Context(), Limit{}, func(Report) {
			if reports++; reports%20 == 0 {
				most = max(most, used()-before)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, used()-before)
		if r.Proven != game.Unknown || r.Simulations < 2000 {
			t.Fatalf("%s: the search ended after %d simulations: %v", name, r.Simulations, r.Proven)
		}
		advance(thinker, r.Best)
	}
	t.Logf("%s: %.1f MB", name, float64(most)/(1<<20))
	if most > megabytes<<20*5/4 { // a quarter may be garbage not collected yet
		t.Errorf("%s: %.1f MB in use, want at most %d", name, float64(most)/(1<<20), megabytes)
	}
}
