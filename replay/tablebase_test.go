package replay

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
	mnksolver "tengen/solver/mnk"
)

// The window asks about those positions first, searched ones only.
func TestWindowAsksForPerfectPlay(t *testing.T) {
	var asked [][]int // in each call
	w := NewWindow(mnk.TicTacToe(), Config{Window: 100, MinWindow: 100, ExactPlies: 6}, func(positions []mnk.State) []int8 {
		results, plies := make([]int8, len(positions)), make([]int, len(positions))
		for i, s := range positions {
			results[i], plies[i] = int8(s.Ply()%3-1), s.Ply()
		}
		asked = append(asked, plies)
		return results
	})
	rng := rand.New(rand.NewPCG(1, 2))
	long, short := randomGame(mnk.TicTacToe(), 1, 4, rng), randomGame(mnk.TicTacToe(), 2, 0, rng)
	for len(long.Moves) < 7 {
		long = randomGame(mnk.TicTacToe(), 1, 4, rng)
	}
	add(t, w, long)
	want := []int{}
	for ply := 4; ply < len(long.Moves); ply++ {
		want = append(want, ply)
	}
	if !slices.Equal(asked[0], want) {
		t.Errorf("asked about plies %v of a game of %d, want %v", asked[0], len(long.Moves), want)
	}
	for ply := 4; ply < len(long.Moves); ply++ {
		if got := w.games[0].z(ply); got != float32(ply%3-1) {
			t.Errorf("ply %d: target %v, want %d", ply, got, ply%3-1)
		}
	}
	asked = nil
	add(t, w, short)
	if first := slices.Min(asked[0]); first != 3 {
		t.Errorf("asked from ply %d on, want 9 - 6", first)
	}
}

// A game that ended before the last plies in which play is known asks about nothing.
func TestWindowAsksNothingOfShortGames(t *testing.T) {
	w := NewWindow(mnk.TicTacToe(), Config{Window: 100, MinWindow: 100, ExactPlies: 2}, func(positions []mnk.State) []int8 {
		t.Errorf("asked about %v", positions)
		return make([]int8, len(positions))
	})
	add(t, w, ticTacToe(0, 1, firstWins...))
	if got := w.games[0].z(4); got != 1 {
		t.Errorf("the winner's last move has the target %v", got)
	}
}

var perfectTicTacToe = mnksolver.Maker(mnk.TicTacToe()).Signs()

// worth returns what a position of tic-tac-toe is worth to the side to move.
func worth(s mnk.State) int8 {
	if z, over := s.Outcome(); over {
		return int8(z)
	}
	return perfectTicTacToe([]mnk.State{s})[0]
}

// The first player takes a corner, the second an edge instead of the centre, which loses. X can win by 4, 3 or 6 alone.
//
//	X O .
//	. . .
//	. . .
func TestExactPolicyByHand(t *testing.T) {
	const opening = 2
	for _, test := range []struct {
		name    string
		weights []float32
		want    map[game.Action]float64
	}{
		{"what is left keeps its proportions", []float32{0, 0, 5, 1, 3, 0, 0, 7, 0}, map[game.Action]float64{3: 0.25, 4: 0.75}},
		{"all is wrong", []float32{0, 0, 5, 0, 0, 0, 0, 0, 2}, map[game.Action]float64{3: 1. / 3, 4: 1. / 3, 6: 1. / 3}},
		{"nothing is wrong", []float32{0, 0, 0, 1, 1, 0, 2, 0, 0}, map[game.Action]float64{3: 0.25, 4: 0.25, 6: 0.5}},
		{"there is no policy", nil, map[game.Action]float64{}},
	} {
		g := &Record{Moves: []game.Action{0, 1, 4, 8, 3, 5, 6}, Opening: opening, Outcome: 1}
		g.AppendSearch(test.weights, 0, 10, FullWeight)
		for range len(g.Moves) - opening - 1 {
			g.AppendSearch(nil, 0, 10, FullWeight)
		}
		w := NewWindow(mnk.TicTacToe(), Config{Window: 100, MinWindow: 100, ExactPlies: 7}, perfectTicTacToe)
		add(t, w, g)
		got := 0
		for a, share := range w.games[0].Policy.Shares(0) {
			got++
			if math.Abs(float64(share)-test.want[a]) > 1e-4 {
				t.Errorf("%s: move %d has %v, want %v", test.name, a, share, test.want[a])
			}
		}
		if got != len(test.want) {
			t.Errorf("%s: %d moves have a share, want %d", test.name, got, len(test.want))
		}
		if len(w.games[0].Values) != len(g.Values) || w.games[0].Policy.Len() != g.Policy.Len() {
			t.Errorf("%s: the game has other rows than before", test.name)
		}
	}
}

// In random games with random policies, moves of the last positions that keep their value are learned, and only those; earlier
// positions, lost ones, and the game that was given keep what they had.
func TestExactPolicy(t *testing.T) {
	const plies = 6
	rules := mnk.TicTacToe()
	rng := rand.New(rand.NewPCG(3, 4))
	changed := 0
	for number := range uint64(200) {
		w := NewWindow(rules, Config{Window: 100, MinWindow: 100, ExactPlies: plies}, perfectTicTacToe)
		g := randomGame(rules, number, int(number%4), rng)
		before := g.clone()
		add(t, w, g)
		if Difference(before, g) != "" {
			t.Fatalf("the caller's game has changed: %s", Difference(before, g))
		}
		state := rules.Start()
		for ply, a := range g.Moves {
			if row := ply - g.Opening; row >= 0 {
				was, is := sharesOf(&g.Policy, row), sharesOf(&w.games[0].Policy, row)
				if ply < rules.MaxPlies()-plies || worth(state) < 0 || len(was) == 0 {
					checkSame(t, ply, was, is)
				} else {
					checkKept(t, state, was, is)
				}
				if len(was) != len(is) {
					changed++
				}
			}
			state = state.Play(a)
		}
	}
	if changed == 0 {
		t.Error("no game had a wrong move in a policy")
	}
}

func sharesOf(p *Policy, row int) map[game.Action]float32 {
	shares := map[game.Action]float32{}
	for a, share := range p.Shares(row) {
		shares[a] = share
	}
	return shares
}

func checkSame(t *testing.T, ply int, was, is map[game.Action]float32) {
	t.Helper()
	for a, share := range was {
		if is[a] != share {
			t.Errorf("ply %d: move %d has %v, want %v as before", ply, a, is[a], share)
		}
	}
	if len(is) != len(was) {
		t.Errorf("ply %d: %d moves have a share, %d before", ply, len(is), len(was))
	}
}

func checkKept(t *testing.T, state mnk.State, was, is map[game.Action]float32) {
	t.Helper()
	value := worth(state)
	var keepers []game.Action
	left := float32(0) // of the shares, for moves that keep the value
	for _, a := range state.Legal(nil) {
		if -worth(state.Play(a)) == value {
			keepers = append(keepers, a)
			left += was[a]
		}
	}
	for _, a := range state.Legal(nil) {
		want := float32(0)
		if slices.Contains(keepers, a) {
			if want = was[a] / left; left == 0 {
				want = 1 / float32(len(keepers))
			}
		}
		if math.Abs(float64(is[a]-want)) > 1e-4 {
			t.Errorf("%v, worth %d: move %d has %v, want %v", state, value, a, is[a], want)
		}
	}
}
