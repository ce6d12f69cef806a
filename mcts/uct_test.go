package mcts_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
)

// playedOut returns a plain UCT search after n playouts.
func playedOut[S game.State[S]](t testing.TB, exploration float64, root S, n int, seed uint64) *mcts.UCT[S] {
	t.Helper()
	u := mcts.NewUCT[S](exploration)
	if err := u.Run(t.Context(), root, mcts.Budget{Simulations: n}, random.New(seed, random.Test)); err != nil {
		t.Fatal(err)
	}
	return u
}

// Every move is tried once before any is tried again, one in a playout (Browne et al. 2012, algorithm 2, "TreePolicy").
func TestUCTTriesEveryMoveFirst(t *testing.T) {
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
func TestUCTGrowsByOnePosition(t *testing.T) {
	g := mnk.Gomoku()
	for _, n := range []int{1, 2, 226, 500} {
		if grown := playedOut(t, 1, g.Start(), n, 1).Grown(); grown != n+1 {
			t.Errorf("%d positions after %d playouts", grown, n)
		}
	}
}

// Beyond the tree all moves are equally likely (Browne et al. 2012, algorithm 1, "DefaultPolicy"). A chi-square test at
// 0.1 % of where single playouts end.
func TestUCTPlaysOutAtRandom(t *testing.T) {
	const playouts = 6000
	counts := map[float32]float64{}
	for seed := range uint64(playouts) {
		counts[playedOut(t, 1, newToy("aa=-1 ab=0 ac=-1 ad=+1 ae=-1 af=0"), 1, seed).Value()]++
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

// mean(a) + exploration sqrt(ln N / N(a)) (Kocsis, Szepesvári 2006, section 2.1). The move a wins at once, b loses: after
// three playouts they have 2 visits and 1, and the fourth goes to b when
//
//	-1 + exploration sqrt(ln 3) > 1 + exploration sqrt(ln 3 / 2), or exploration > 6.51477
func TestUCB1Formula(t *testing.T) {
	for exploration, want := range map[float64][2]int{6.5147: {3, 1}, 6.5149: {2, 2}} {
		stats := playedOut(t, exploration, newToy("a=-1 b=+1"), 4, 1).Stats(nil)
		if got := [2]int{stats[0].Visits, stats[1].Visits}; got != want {
			t.Errorf("exploration %v: visits %v, want %v", exploration, got, want)
		}
	}
}

// Where all moves end the game, UCT is a bandit of three arms, and must agree with UCB1 written down plainly.
func TestUCTIsUCB1OnFinishedMoves(t *testing.T) {
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
		for i, stat := range playedOut(t, exploration, newToy("a=-1 b=+1 c=0"), 1000, 1).Stats(nil) {
			if stat.Visits != visits[i] || float64(stat.Q) != values[i] {
				t.Errorf("exploration %v: %+v, want %d visits and Q = %v", exploration, stat, visits[i], values[i])
			}
		}
	}
}

// A playout's result counts for the player who made the move, at odd and at even depth, in the tree and beyond it.
func TestUCTValueSign(t *testing.T) {
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
			u := playedOut(t, 1, newToy(test.lines), n, 1)
			if stat := u.Stats(nil)[0]; stat.Q != test.q || stat.Visits != n || u.Value() != test.q {
				t.Errorf("%q, %d playouts: %+v, root's value %v, want Q = %v", test.lines, n, stat, u.Value(), test.q)
			}
		}
	}
}

// The visits of the root's moves are the playouts, to the last one, and its value is their mean.
func TestUCTStatisticsAddUp(t *testing.T) {
	g := mnk.TicTacToe()
	for _, n := range []int{1, 10, 63, 64, 65, 1000} {
		u := playedOut(t, 1, g.Start(), n, 1)
		visits, value, last := 0, 0.0, game.None
		for _, stat := range u.Stats(nil) {
			visits += stat.Visits
			value += float64(stat.Visits) * float64(stat.Q)
			if stat.Action <= last || stat.Prior != 0 || stat.Proven != mcts.Unknown {
				t.Errorf("%+v comes after move %d", stat, last)
			}
			last = stat.Action
		}
		if visits != n || u.Playouts() != n || math.Abs(value/float64(n)-float64(u.Value())) > 1e-6 {
			t.Errorf("%d visits, %d playouts, want %d; value %v, want %v", visits, u.Playouts(), n, u.Value(), value/float64(n))
		}
	}
}

// The same seed gives the same search, whatever the object searched before; another seed gives another.
func TestUCTIsDeterministic(t *testing.T) {
	g := connect4.Standard()
	want := playedOut(t, 1, g.Start(), 500, 1).Stats(nil)
	u := playedOut(t, 1, g.Start().Play(3), 300, 9)
	if err := u.Run(t.Context(), g.Start(), mcts.Budget{Simulations: 500}, random.New(1, random.Test)); err != nil {
		t.Fatal(err)
	}
	if got := u.Stats(nil); !slices.Equal(got, want) {
		t.Errorf("the same seed gives %v and %v", want, got)
	}
	if slices.Equal(playedOut(t, 1, g.Start(), 500, 2).Stats(nil), want) {
		t.Errorf("two seeds give the same search")
	}
}

// Immediate wins and forced blocks are found.
func TestUCTTactics(t *testing.T) {
	check := func(name, got, want string) {
		if !strings.Contains(want, got) {
			t.Errorf("%s: plays %s, want %s", name, got, want)
		}
	}
	check("tic-tac-toe, win", uctMove(t, mnk.TicTacToe(), "a1 a3 b1 b3", 500), "c1")
	check("tic-tac-toe, block", uctMove(t, mnk.TicTacToe(), "a1 b2 b1", 500), "c1")
	check("connect four, win", uctMove(t, connect4.Standard(), "121212", 500), "1")
	check("connect four, diagonal", uctMove(t, connect4.Standard(), "1223343446", 500), "4")
	check("connect four, block", uctMove(t, connect4.Standard(), "12131", 500), "1")
	check("connect four, two open threats", uctMove(t, connect4.Standard(), "4437", 3000), "2 5")
	check("6,6,4, win", uctMove(t, mustMNK(t, 6, 6, 4), "a1 f6 b1 e6 c1 d5", 2000), "d1")
	check("6,6,4, block", uctMove(t, mustMNK(t, 6, 6, 4), "a1 b2 f6 c3 f5 d4", 5000), "e5")
	check("gomoku, win", uctMove(t, mnk.Gomoku(), "h8 a1 i8 a3 k8 a5 l8 a7", 3000), "j8")
}

// uctMove is the move that UCT plays after the given ones.
func uctMove[S game.State[S]](t *testing.T, g game.Game[S], moves string, playouts int) string {
	t.Helper()
	actions, err := g.ParseMoves(moves)
	if err != nil {
		t.Fatal(err)
	}
	root, err := game.Replay(g, actions)
	if err != nil {
		t.Fatal(err)
	}
	return g.FormatAction(playedOut(t, mcts.DefaultExploration, root, playouts, 1).Best(random.New(1, random.Test)))
}

// UCT converges to the minimax value (Kocsis, Szepesvári 2006, section 2.4): on endgames of tic-tac-toe it plays best moves.
func TestUCTConvergesToMinimax(t *testing.T) {
	g := mnk.TicTacToe()
	for seed := range uint64(60) {
		rng := random.New(seed, random.Test)
		root := randomPosition(g, 3+rng.IntN(4), rng)
		if _, over := root.Outcome(); over {
			continue
		}
		u := playedOut(t, mcts.DefaultExploration, root, 5000, seed)
		if a := u.Best(rng); -minimax(root.Play(a)) != minimax(root) {
			t.Errorf("%v: plays %s of value %v, want %v", root, g.FormatAction(a), -minimax(root.Play(a)), minimax(root))
		}
	}
}

// Best draws among the most visited.
func TestUCTBestIsRandomAmongEquals(t *testing.T) {
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

// A cancelled search returns the context's error and keeps its statistics; one whose time is up returns none. Both have
// played some games.
func TestUCTBudget(t *testing.T) {
	u := mcts.NewUCT[toy](1)
	rng := random.New(1, random.Test)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := u.Run(ctx, newToy("a=0 b=0"), mcts.Budget{Time: 1000 * time.Hour}, rng); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if u.Playouts() == 0 || len(u.Stats(nil)) != 2 {
		t.Errorf("cancelled: %d playouts, %v", u.Playouts(), u.Stats(nil))
	}
	if err := u.Run(t.Context(), newToy("a=0 b=0"), mcts.Budget{Time: 1}, rng); err != nil {
		t.Error(err)
	}
	if u.Playouts() == 0 || len(u.Stats(nil)) != 2 {
		t.Errorf("time is up: %d playouts, %v", u.Playouts(), u.Stats(nil))
	}
	mustPanic(t, func() { _ = u.Run(t.Context(), newToy("a"), mcts.Budget{}, rng) })
}
