package players

import (
	"runtime"
	"runtime/debug"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/mcts"
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
	o.Interval, o.Batch = 0, 8
	for _, threads := range []int{1, 4} {
		o.Threads, o.MaxNodes = threads, Nodes(megabytes, g.Actions())
		means := means{threads, o.Batch, o.MaxNodes, leavesInFlight}
		wantMemory(t, "net", megabytes, func() *Thinker[connect4.State] { return netThinker(g, fakes[connect4.State](threads, nil), o) })
		wantMemory(t, "uct", megabytes, func() *Thinker[connect4.State] { return newThinker(g, newUCT[connect4.State](g.Actions(), means), o) })
		o.MaxNodes = Nodes(megabytes, board.Actions())
		means.nodes = o.MaxNodes
		wantMemory(t, "net with a prover", megabytes, func() *Thinker[mnk.State] {
			return newThinker(board, newNet(forced, board.Actions(), fakes[mnk.State](threads, nil), means), o)
		})
	}
}

// wantMemory measures the heap while a thinker fills its memory for each of three moves.
func wantMemory[S game.State[S]](t *testing.T, name string, megabytes int, build func() *Thinker[S]) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that the heap is what is in use
	var m runtime.MemStats
	heap := func() int {
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	runtime.GC()
	before, most := heap(), 0
	thinker := build()
	for range 3 {
		reports := 0
		r, err := thinker.Think(t.Context(), Limit{}, func(Report) {
			if reports++; reports%20 == 0 {
				most = max(most, heap()-before)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, heap()-before)
		if r.Proven != game.Unknown || r.Simulations < 2000 {
			t.Fatalf("%s: the search ended after %d simulations: %v", name, r.Simulations, r.Proven)
		}
		thinker.Advance(r.Best)
	}
	t.Logf("%s: %.1f MB", name, float64(most)/(1<<20))
	if most > megabytes<<20*5/4 { // a quarter may be garbage not collected yet
		t.Errorf("%s: %.1f MB in use, want at most %d", name, float64(most)/(1<<20), megabytes)
	}
}
