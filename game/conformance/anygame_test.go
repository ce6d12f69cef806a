package conformance

import (
	"testing"

	"tengen/game"
	"tengen/mcts"
	"tengen/solver"
)

var (
	_ game.Game[heap]  = nim{}
	_ game.Game[discs] = othello{}
	_ game.Diagram     = discs{}
)

// Games that are no placement games keep the contract, and are solved and searched.
func TestConformance(t *testing.T) {
	for name, all := range map[string]map[string]Finding{
		"nim":          found(nim{[3]int8{2, 3, 3}}),
		"othello":      found(othello{}, 4, 12, 44, 128, 424, 1256, 3624, 9112),
		"breakthrough": found(march{}, 13, 156, 1924, 23084),
		"strip":        found(strip{}),
		"archers":      found(archers{}),
	} {
		if len(all) > 0 {
			t.Errorf("%s: %v", name, all)
		}
	}
}

// The theory of misère Nim (Bouton 1901): the side to move wins if the nim-sum of the heaps is not 0, or, when no heap has
// more than one thing, if it is.
func TestNimIsSolved(t *testing.T) {
	for heaps := range 4 * 4 * 4 {
		g := nim{[3]int8{int8(heaps % 4), int8(heaps / 4 % 4), int8(heaps / 16)}}
		if g.MaxPlies() == 0 {
			continue
		}
		want := -1
		sum, small := 0, true
		for _, n := range g.heaps {
			sum ^= int(n)
			small = small && n < 2
		}
		if (sum != 0) != small {
			want = 1
		}
		checkSolvers(t, g, want)
	}
}

// Othello on 4x4 is lost for the side that begins, as is known of 6x6 (Feinstein 1993).
func TestOthelloIsSolved(t *testing.T) { checkSolvers(t, othello{}, -1) }

// small spares the memory of the default table, which takes longer to clear than these games to solve.
var small = solver.Config{Transpositions: true, Symmetries: true, TableEntries: 1 << 14}

// checkSolvers holds all solvers against each other on each position of a game, and the start against the sign wanted.
func checkSolvers[S game.State[S]](t *testing.T, g game.Game[S], sign int) {
	t.Helper()
	table, err := solver.NewPlanner(g, 1<<20).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if score, err := table.Solve(t.Context(), g.Start()); err != nil || score.Sign() != sign {
		t.Fatalf("%s: score %d, %v; want the sign %d", g.Name(), score, err, sign)
	}
	plain := solver.NewAlphaBeta(g, solver.Config{Transpositions: true, TableEntries: 1 << 10})
	folding := solver.NewAlphaBeta(g, small)
	minimax := solver.NewMinimax(g, small)
	seen := map[game.Key]bool{}
	var walk func(s S)
	walk = func(s S) {
		if seen[s.Key()] {
			return
		}
		seen[s.Key()] = true
		want, err := table.Solve(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for name, by := range map[string]solver.Solver[S]{"alpha-beta": plain, "alpha-beta, folding": folding, "minimax": minimax} {
			if got, err := by.Solve(t.Context(), s); err != nil || got != want {
				t.Fatalf("%s: %s finds %d, %v, at ply %d of %v; want %d", g.Name(), name, got, err, s.Ply(), s, want)
			}
		}
		for _, a := range s.Legal(nil) {
			walk(s.Play(a))
		}
	}
	walk(g.Start())
}

// Tree search proves them, from the start and from the middle of a game.
func TestAnyGameIsSearched(t *testing.T) {
	for plies := range 6 {
		checkSearch(t, nim{[3]int8{2, 3, 3}}, plies)
		checkSearch(t, othello{}, 5+plies)
	}
}

// checkSearch searches a position that so many moves lead to.
func checkSearch[S game.State[S]](t *testing.T, g game.Game[S], plies int) {
	t.Helper()
	s := g.Start()
	for range plies {
		legal := s.Legal(nil)
		s = s.Play(legal[plies%len(legal)])
	}
	score, err := solver.NewAlphaBeta(g, small).Solve(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	search := mcts.New[S](mcts.Default(), g.Actions())
	search.Reset(s)
	search.Begin(100_000, nil)
	uniform := []mcts.Evaluator[S]{&mcts.Uniform[S]{}}
	if err := mcts.Drive(t.Context(), []*mcts.Search[S]{search}, uniform, mcts.DriveOptions{Batch: 1}); err != nil {
		t.Fatal(err)
	}
	if got := search.Proven(); got == game.Unknown || got.Value() != float64(score.Sign()) {
		t.Errorf("%s at ply %d: the search proves %v; the score is %d", g.Name(), plies, got, score)
	}
}
