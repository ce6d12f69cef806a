package forced_test

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/forced"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/solver"
	solveconnect4 "tengen/solver/connect4"
	solvemnk "tengen/solver/mnk"
)

// everything is more nodes than the tests' positions need.
const everything = 1 << 20

// Without a limit, the prover finds exactly what the plain rules of forced play give: no less, no more.
func TestFindsWhatPlainRulesFind(t *testing.T) {
	for _, numbers := range []string{
		"3,3,3", "4,4,3", "4,3,3", "4,4,4", "3,3,2", "1,6,3", "2,3,1", "5,5,4", "6,5,4", "6,6,5",
		"4,4,3,exact", "5,5,3,exact", "6,5,4,exact", "1,7,2,exact", "4,5,2,caro", "5,5,3,caro", "6,5,4,caro", "9,1,3,caro",
		"4,4,2,exact,caro", "5,5,3,exact,caro", "6,5,4,exact,caro",
	} {
		t.Run("mnk:"+numbers, func(t *testing.T) { checkAgainstRules(t, newMNK(t, numbers)) })
	}
	for _, numbers := range []string{"7,6,4", "6,5,4", "5,4,3", "4,5,3", "3,3,3", "4,4,2", "3,2,1", "8,7,5"} {
		t.Run("connect4:"+numbers, func(t *testing.T) {
			checkAgainstRules(t, newConnect4(t, numbers))
		})
	}
}

func checkAgainstRules[S game.State[S]](t *testing.T, g game.Game[S]) {
	p := forced.New[S]()
	proven := map[game.Result]int{}
	for seed := range fulltest.Pick[uint64](30, 100) {
		rng := random.New(seed, random.Test)
		s, moves := carefulPosition(g, rng.IntN(g.MaxPlies()), rng)
		d, me := diagramOf(g, s), sideOf(s)
		found, want := p.Examine(s, everything), d.result(me)
		if found.Result != want {
			t.Fatalf("%q: proven a %v; the rules give a %v", game.FormatMoves(g.Start(), moves), found.Result, want)
		}
		proven[found.Result]++
		some := d.gravity || slices.Contains(found.Moves, game.Loss) // it has looked at all moves
		for _, a := range s.Legal(nil) {
			cell := any(s).(game.Placement).Target(a).To
			if found.Moves[a] == game.Win && !d.beats(me, cell) {
				t.Fatalf("%q: move %s does not win", game.FormatMoves(g.Start(), moves), g.Start().Format(a))
			}
			if found.Result == game.Win {
				continue
			}
			if loses := d.loses(me, cell); some && loses != (found.Moves[a] == game.Loss) {
				t.Fatalf("%q: move %s is a %v; that it loses is %t", game.FormatMoves(g.Start(), moves), g.Start().Format(a), found.Moves[a], loses)
			}
		}
	}
	t.Logf("%v", proven)
}

// Whatever is proven with any number of nodes is true: the exact solvers find the same.
func TestAgreesWithSolvers(t *testing.T) {
	for _, numbers := range []string{"5,5,4", "6,6,4", "6,5,4", "4,4,3", "6,6,5", "4,4,4", "5,4,3", "3,3,3", "8,8,5"} {
		t.Run("mnk:"+numbers, func(t *testing.T) {
			g := newMNK(t, numbers)
			exact, err := solvemnk.New(g, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			least := 0
			if g.MaxPlies() > 36 {
				least = 44
			}
			checkAgainstSolver(t, g, exact, least)
		})
	}
	for _, numbers := range byRule {
		t.Run("mnk:"+numbers, func(t *testing.T) {
			g := newMNK(t, numbers)
			checkAgainstSolver(t, g, solver.NewAlphaBeta(g, solver.Default()), max(0, g.MaxPlies()-solvedPlies))
		})
	}
	for _, numbers := range []string{"7,6,4", "6,6,4", "5,5,4"} {
		t.Run("connect4:"+numbers, func(t *testing.T) {
			g := newConnect4(t, numbers)
			exact, err := solveconnect4.New(g, solveconnect4.Options{TableMegabytes: 64, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			checkAgainstSolver(t, g, exact, g.MaxPlies()*2/5)
		})
	}
	t.Run("connect4:5,4,3", func(t *testing.T) {
		g := newConnect4(t, "5,4,3")
		checkAgainstSolver(t, g, solver.NewAlphaBeta(g, solver.Default()), 0)
	})
}

// On a single row every position of the first plies can be checked, those at the ends of the board too.
func TestAgreesWithSolversOnARow(t *testing.T) {
	for _, numbers := range []string{"8,1,3", "8,1,3,exact", "8,1,3,caro", "8,1,3,exact,caro"} {
		g := newMNK(t, numbers)
		exact, p := solver.NewAlphaBeta(g, solver.Default()), forced.New[mnk.State]()
		proofs, moves := 0, 0
		var visit func(s mnk.State)
		visit = func(s mnk.State) {
			if _, over := s.Outcome(); over || s.Ply() > 4 {
				return
			}
			r, m := checkPosition(t, g, p, exact, s, everything)
			proofs, moves = proofs+r, moves+m
			for _, a := range s.Legal(nil) {
				visit(s.Play(a))
			}
		}
		visit(g.Start())
		if proofs < 100 || moves < 1000 {
			t.Errorf("%s: %d positions and %d moves are proven; too few were tested", numbers, proofs, moves)
		}
	}
}

// byRule are boards where not every row wins; plain alpha-beta solves them in the last solvedPlies.
var byRule = []string{
	"4,4,3,exact", "5,5,3,exact", "5,5,4,exact", "6,6,4,exact", "4,4,3,caro", "5,5,3,caro", "5,5,4,caro", "6,6,4,caro",
	"5,5,3,exact,caro", "6,6,4,exact,caro",
}

const solvedPlies = 13

// checkAgainstSolver examines random positions of at least that many plies.
func checkAgainstSolver[S game.State[S]](t *testing.T, g game.Game[S], exact solver.Solver[S], least int) {
	p := forced.New[S]()
	proofs, moves := 0, 0
	for seed := range fulltest.Pick[uint64](150, 400) {
		rng := random.New(seed, random.Test, 1)
		s, line := carefulPosition(g, least+rng.IntN(g.MaxPlies()-least), rng)
		if len(line) < least {
			continue
		}
		r, m := checkPosition(t, g, p, exact, s, []int{0, 1, 3, 10, 100, 1000}[rng.IntN(6)])
		proofs, moves = proofs+r, moves+m
	}
	if proofs == 0 || moves == 0 {
		t.Errorf("%d positions and %d moves are proven; nothing was tested", proofs, moves)
	}
}

// checkPosition holds what is proven of s against its exact score and those of its moves. It returns how many positions and
// moves were proven.
func checkPosition[S game.State[S]](
	t *testing.T, g game.Game[S], p *forced.Prover[S], exact solver.Solver[S], s S, nodes int,
) (proofs, moves int) {
	t.Helper()
	sign := func(s S) game.Result {
		score, err := exact.Solve(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return game.ResultOf(float32(score.Sign()))
	}
	found := p.Examine(s, nodes)
	if found.Result != game.Unknown {
		proofs++
		if want := sign(s); found.Result != want {
			t.Fatalf("%s with %d nodes: %x is proven a %v; it is %v", g.Name(), nodes, s.Key(), found.Result, want)
		}
	}
	for _, a := range s.Legal(nil) {
		if found.Moves[a] == game.Unknown {
			continue
		}
		moves++
		if want := sign(s.Play(a)).Opposite(); found.Moves[a] != want {
			t.Fatalf("%s with %d nodes: move %s of %x is proven a %v; it is %v", g.Name(), nodes, g.Start().Format(a), s.Key(), found.Moves[a], want)
		}
	}
	return proofs, moves
}
