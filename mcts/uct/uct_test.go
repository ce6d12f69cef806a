package uct_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/internal/errtest"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/internal/searchtest"
	"tengen/mcts/uct"
)

var mustMNK = gametest.Parser(mnk.Parse)

// playedOut returns a search after n playouts.
func playedOut[S game.State[S]](t testing.TB, exploration float64, root S, n int, seed uint64) *uct.Search[S] {
	t.Helper()
	s := uct.New[S](exploration)
	s.Reset(root)
	s.Run(t.Context(), n, random.New(seed, random.Test))
	return s
}

// Every move is tried once before any is tried again, one in a playout (Browne et al. 2012, algorithm 2, "TreePolicy").
func TestTriesEveryMoveFirst(t *testing.T) {
	g := connect4.Standard()
	orders := map[game.Action]bool{}
	for n := 1; n <= 8; n++ {
		tried, most := 0, 0
		for _, stat := range playedOut(t, 1, g.Start(), n, 1).Stats(nil) {
			if stat.Visits > 0 {
				tried++
			}
			most = max(most, stat.Visits)
		}
		if wantTried, wantMost := min(n, 7), 1+n/8; tried != wantTried || most != wantMost {
			t.Errorf("after %d playouts: %d moves tried, one of them %d times", n, tried, most)
		}
	}
	for seed := range uint64(50) {
		for _, stat := range playedOut(t, 1, g.Start(), 1, seed).Stats(nil) {
			if stat.Visits == 1 {
				orders[stat.Action] = true
			}
		}
	}
	if len(orders) != 7 {
		t.Errorf("of 50 first playouts, none tried one of the moves: %v", orders)
	}
}

// A playout adds one position to the tree (Browne et al. 2012, algorithm 2, "Expand").
func TestGrowsByOnePosition(t *testing.T) {
	g := mnk.Gomoku()
	for _, n := range []int{1, 2, 226, 500} {
		if grown := playedOut(t, 1, g.Start(), n, 1).Grown(); grown != n+1 {
			t.Errorf("%d positions after %d playouts", grown, n)
		}
	}
}

// Beyond the tree all moves are equally likely (Browne et al. 2012, algorithm 1, "DefaultPolicy"). A chi-square test at
// 0.1 % of where single playouts end.
func TestPlaysOutAtRandom(t *testing.T) {
	const playouts = 6000
	counts := map[float32]float64{}
	for seed := range uint64(playouts) {
		counts[playedOut(t, 1, searchtest.NewToy("aa=-1 ab=0 ac=-1 ad=+1 ae=-1 af=0"), 1, seed).Value()]++
	}
	chiSquare := 0.0
	for value, share := range map[float32]float64{-1: 3.0 / 6, 0: 2.0 / 6, 1: 1.0 / 6} {
		expected := share * playouts
		chiSquare += (counts[value] - expected) * (counts[value] - expected) / expected
	}
	if chiSquare > 13.82 { // 2 degrees of freedom
		t.Errorf("values %v, chi-square %.1f", counts, chiSquare)
	}
}

// Where all moves end the game, UCT is a bandit of three arms, and must agree with UCB1 written down plainly.
func TestIsUCB1OnFinishedMoves(t *testing.T) {
	for _, exploration := range []float64{0.3, 1, 2} {
		values, visits := []float64{1, -1, 0}, []int{1, 1, 1}
		for n := 3; n < 1000; n++ {
			best, bestScore := 0, math.Inf(-1)
			for i, v := range values {
				if score := v + exploration*math.Sqrt(math.Log(float64(n))/float64(visits[i])); score > bestScore {
					best, bestScore = i, score
				}
			}
			visits[best]++
		}
		for i, stat := range playedOut(t, exploration, searchtest.NewToy("a=-1 b=+1 c=0"), 1000, 1).Stats(nil) {
			if stat.Visits != visits[i] || float64(stat.Q) != values[i] {
				t.Errorf("exploration %v: %+v, want %d visits and Q = %v", exploration, stat, visits[i], values[i])
			}
		}
	}
}

// A playout's result counts for the player who made the move, at odd and at even depth, in the tree and beyond it.
func TestValueSign(t *testing.T) {
	for _, test := range []struct {
		lines string
		q     float32 // of the one move
	}{
		{"a=-1", 1}, {"a=+1", -1}, {"a=0", 0},
		{"aa=-1", -1}, {"aa=+1", 1},
		{"aaa=-1", 1}, {"aaa=+1", -1},
		{"aaaa=-1", -1}, {"aaaa=+1", 1},
	} {
		for _, n := range []int{1, 2, 3, 10} {
			u := playedOut(t, 1, searchtest.NewToy(test.lines), n, 1)
			if stat := u.Stats(nil)[0]; stat.Q != test.q || stat.Visits != n || u.Value() != test.q {
				t.Errorf("%q, %d playouts: %+v, root's value %v, want Q = %v", test.lines, n, stat, u.Value(), test.q)
			}
			if value := float64(u.Value()); value == 0 && math.Signbit(value) {
				t.Errorf("%q, %d playouts: the root's value is %v", test.lines, n, value)
			}
		}
	}
}

// The visits of the root's moves are the playouts, to the last one, and its value is their mean.
func TestStatisticsAddUp(t *testing.T) {
	g := mnk.TicTacToe()
	for _, n := range []int{1, 10, 63, 64, 65, 1000} {
		u := playedOut(t, 1, g.Start(), n, 1)
		visits, value, last := 0, 0.0, game.None
		for _, stat := range u.Stats(nil) {
			visits += stat.Visits
			value += float64(stat.Visits) * float64(stat.Q)
			if stat.Action <= last || stat.Prior != 0 || stat.Proven != game.Unknown {
				t.Errorf("%+v comes after move %d", stat, last)
			}
			last = stat.Action
		}
		if visits != n || u.Playouts() != n || math.Abs(value/float64(n)-float64(u.Value())) > 1e-6 {
			t.Errorf("%d visits, %d playouts, want %d; value %v, want %v", visits, u.Playouts(), n, u.Value(), value/float64(n))
		}
	}
}

// The same seed gives the same search, whatever the object searched before, at once or in slices; another seed gives another.
func TestIsDeterministic(t *testing.T) {
	g := connect4.Standard()
	want := playedOut(t, 1, g.Start(), 500, 1)
	u := playedOut(t, 1, g.Start().Play(3), 300, 9)
	u.Reset(g.Start())
	rng := random.New(1, random.Test)
	for _, n := range []int{1, 99, 250, 150} {
		u.Run(t.Context(), n, rng)
	}
	if !slices.Equal(u.Stats(nil), want.Stats(nil)) || u.Value() != want.Value() || u.Playouts() != 500 {
		t.Errorf("the same seed gives %v and %v", want.Stats(nil), u.Stats(nil))
	}
	if slices.Equal(playedOut(t, 1, g.Start(), 500, 2).Stats(nil), want.Stats(nil)) {
		t.Errorf("two seeds give the same search")
	}
}

// Immediate wins and forced blocks are found.
func TestTactics(t *testing.T) {
	check := func(name, got, want string) {
		if !strings.Contains(want, got) {
			t.Errorf("%s: plays %s, want %s", name, got, want)
		}
	}
	check("tic-tac-toe, win", moveOf(t, mnk.TicTacToe(), "a1 a3 b1 b3", 500), "c1")
	check("tic-tac-toe, block", moveOf(t, mnk.TicTacToe(), "a1 b2 b1", 500), "c1")
	check("connect four, win", moveOf(t, connect4.Standard(), "121212", 500), "1")
	check("connect four, diagonal", moveOf(t, connect4.Standard(), "1223343446", 500), "4")
	check("connect four, block", moveOf(t, connect4.Standard(), "12131", 500), "1")
	check("connect four, two open threats", moveOf(t, connect4.Standard(), "4437", 3000), "2 5")
	check("6,6,4, win", moveOf(t, mustMNK(t, "6,6,4"), "a1 f6 b1 e6 c1 d5", 2000), "d1")
	check("6,6,4, block", moveOf(t, mustMNK(t, "6,6,4"), "a1 b2 f6 c3 f5 d4", 5000), "e5")
	check("gomoku, win", moveOf(t, mnk.Gomoku(), "h8 a1 i8 a3 k8 a5 l8 a7", 3000), "j8")
}

// moveOf is the move that UCT plays after the given ones.
func moveOf[S game.State[S]](t *testing.T, g game.Game[S], moves string, playouts int) string {
	t.Helper()
	u := playedOut(t, uct.DefaultExploration, gametest.Replay(t, g, moves), playouts, 1)
	return g.Start().Format(u.Best(random.New(1, random.Test)))
}

// UCT converges to the minimax value (Kocsis, Szepesvári 2006, section 2.4): on endgames of tic-tac-toe it plays best moves.
func TestConvergesToMinimax(t *testing.T) {
	g := mnk.TicTacToe()
	for seed := range uint64(60) {
		rng := random.New(seed, random.Test)
		root := searchtest.RandomPosition(g, 3+rng.IntN(4), rng)
		if _, over := root.Outcome(); over {
			continue
		}
		u := playedOut(t, uct.DefaultExploration, root, 5000, seed)
		if a := u.Best(rng); -searchtest.Minimax(root.Play(a)) != searchtest.Minimax(root) {
			t.Errorf("%v: plays %s of value %v, want %v", root, g.Start().Format(a), -searchtest.Minimax(root.Play(a)), searchtest.Minimax(root))
		}
	}
}

// Best draws among the most visited.
func TestBestIsRandomAmongEquals(t *testing.T) {
	g := connect4.Standard()
	u := playedOut(t, 1, g.Start(), 7, 1) // one visit each
	rng := random.New(1, random.Test)
	counts := make([]int, g.Actions())
	for range 7000 {
		counts[u.Best(rng)]++
	}
	if slices.Min(counts) < 900 || slices.Max(counts) > 1100 {
		t.Errorf("moves drawn: %v", counts)
	}
}

// A cancelled search keeps its statistics, and has played some games.
func TestCancelled(t *testing.T) {
	u := uct.New[searchtest.Toy](1)
	rng := random.New(1, random.Test)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	u.Reset(searchtest.NewToy("a=0 b=0"))
	u.Run(ctx, 1<<40, rng)
	if u.Playouts() == 0 || len(u.Stats(nil)) != 2 {
		t.Errorf("%d playouts, %v", u.Playouts(), u.Stats(nil))
	}
	u.Reset(searchtest.NewToy("=-1"))
	errtest.Panics(t, func() { u.Run(t.Context(), 1, rng) })
}

// A move never tried, and one on a root never searched, start from nothing.
func TestAdvanceToNewMove(t *testing.T) {
	g := mnk.Gomoku()
	want := playedOut(t, 1, g.Start().Play(7), 100, 2).Stats(nil)
	for _, playouts := range []int{0, 1} {
		s := uct.New[mnk.State](1)
		s.Reset(g.Start())
		rng := random.New(1, random.Test)
		if playouts > 0 {
			s.Run(t.Context(), playouts, rng)
			if s.PV(nil)[0] == 7 {
				t.Fatal("the move was tried")
			}
		}
		s.Advance(7)
		if s.Playouts() != 0 || s.Value() != 0 || len(s.Stats(nil)) != 0 || s.Best(rng) != game.None || len(s.PV(nil)) != 0 {
			t.Errorf("a new root has %v", s.Stats(nil))
		}
		s.Run(t.Context(), 100, random.New(2, random.Test))
		if !slices.Equal(s.Stats(nil), want) {
			t.Errorf("the search after Advance differs from one of its own")
		}
	}
}

// The principal variation takes the most visited move at each position, the first tried among equals, and ends where none was.
func TestPV(t *testing.T) {
	s := playedOut(t, 1, searchtest.NewToy("aa=-1 ab=+1 b=+1"), 200, 1)
	if pv := s.PV([]game.Action{99}); !slices.Equal(pv, []game.Action{99, 0, 0}) {
		t.Errorf("principal variation %v, want a a after what was there", pv)
	}
	for seed := range uint64(8) {
		first := playedOut(t, 1, searchtest.NewToy("a=0 b=0 c=0"), 1, seed).PV(nil)
		for _, playouts := range []int{3, 4} {
			if pv := playedOut(t, 1, searchtest.NewToy("a=0 b=0 c=0"), playouts, seed).PV(nil); !slices.Equal(pv, first) {
				t.Errorf("seed %d, %d playouts: principal variation %v of equals, %v was tried first", seed, playouts, pv, first)
			}
		}
	}
}

// What a search says of a position below the root is what it says when it has come there.
func TestBelowIsWhatAdvanceFinds(t *testing.T) {
	search := func() *uct.Search[connect4.State] { return playedOut(t, 1, connect4.Standard().Start(), 500, 1) }
	s := search()
	for _, line := range [][]game.Action{nil, {3}, {3, 3}, s.PV(nil)} {
		there := search()
		for _, a := range line {
			there.Advance(a)
		}
		below, ok := s.Below(line)
		pv := there.PV(nil)
		got := fmt.Sprint(ok, below.Visits, below.Value, below.Moves, below.PV, s.PV(nil, line...))
		if want := fmt.Sprint(true, there.Playouts(), there.Value(), there.Stats(nil), pv, pv); got != want {
			t.Errorf("below %v:\n%s, want\n%s", line, got, want)
		}
	}
	if _, ok := s.Below([]game.Action{99}); ok || len(s.PV(nil, 99)) > 0 {
		t.Error("there is something below a move that is none")
	}
}

// A warm search allocates nothing, from move to move and from game to game.
func TestDoesNotAllocate(t *testing.T) {
	g := connect4.Standard()
	s := uct.New[connect4.State](uct.DefaultExploration)
	source := rand.NewPCG(1, 1)
	rng := rand.New(source)
	var stats []mcts.Stat
	var pv []game.Action
	search := func() {
		source.Seed(1, 1) // the same search again
		s.Reset(g.Start())
		for range 4 {
			s.Run(t.Context(), 500, rng)
			stats, pv = s.Stats(stats[:0]), s.PV(pv[:0])
			s.Advance(s.Best(rng))
		}
	}
	if n := testing.AllocsPerRun(5, search); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkSearch is the speed of random playouts: 1000 from the starting position.
func BenchmarkSearch(b *testing.B) {
	b.Run("connect4", func(b *testing.B) { benchmarkSearch(b, connect4.Standard().Start()) })
	b.Run("6,6,4", func(b *testing.B) { benchmarkSearch(b, mustMNK(b, "6,6,4").Start()) })
	b.Run("gomoku", func(b *testing.B) { benchmarkSearch(b, mnk.Gomoku().Start()) })
}

func benchmarkSearch[S game.State[S]](b *testing.B, root S) {
	const playouts = 1000
	s := uct.New[S](uct.DefaultExploration)
	rng := random.New(1, random.Test)
	b.ReportAllocs()
	for b.Loop() {
		s.Reset(root)
		s.Run(b.Context(), playouts, rng)
	}
	b.ReportMetric(float64(playouts*b.N)/b.Elapsed().Seconds(), "playouts/s")
}
