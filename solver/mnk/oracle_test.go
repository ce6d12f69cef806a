package mnk_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/solver"
	mnksolver "tengen/solver/mnk"
)

// newOracle returns a solver that knows the rules alone.
func newOracle(g *mnk.Game, entries int) *solver.AlphaBeta[mnk.State] {
	return solver.NewAlphaBeta(g, solver.Config{TableEntries: entries})
}

// oracleBoards are boards with the number of empty cells that the oracle can do quickly.
var oracleBoards = []struct {
	numbers string
	empty   int
}{
	{"1,1,1", 1}, {"3,2,1", 6}, {"8,8,1", 8}, {"2,1,2", 2}, {"2,2,2", 4}, {"3,3,2", 9}, {"5,2,2", 10}, {"4,4,2", 10},
	{"1,7,2", 7}, {"7,1,3", 7}, {"10,1,4", 10}, {"1,10,5", 10}, {"20,1,6", 10}, {"1,20,20", 10},
	{"3,3,3", 9}, {"5,2,3", 10}, {"4,3,3", 11}, {"3,4,3", 11}, {"4,4,3", 11}, {"5,4,3", 11}, {"5,5,3", 11},
	{"2,5,4", 10}, {"4,3,4", 11}, {"3,4,4", 11}, {"4,4,4", 11}, {"5,4,4", 11}, {"5,5,4", 11}, {"7,4,4", 11}, {"6,6,4", 11}, {"8,8,4", 11},
	{"5,2,5", 10}, {"5,5,5", 11}, {"9,7,5", 11}, {"8,8,5", 11}, {"16,4,4", 11}, {"4,16,6", 11},
}

func TestAgainstGeneralSolver(t *testing.T) {
	for _, test := range oracleBoards {
		g := parse(t, test.numbers)
		exact, plain := newSolver(t, g, 1<<12), newOracle(g, 1<<18)
		rng := rand.New(rand.NewPCG(1, 2))
		for range fulltest.Pick(10, 60) {
			s, moves := wander(g, g.Actions()-rng.IntN(test.empty+1), func(n int) int { return rng.IntN(n) })
			if got, want := solve(t, exact, s), solve(t, plain, s); got != want {
				t.Fatalf("%s after %q: score %d; the general solver says %d", g.Name(), game.FormatMoves(g.Start(), moves), got, want)
			}
		}
	}
}

// Positions that no game leads to, with any numbers of stones and either side to move, are solved as well.
func TestSetUpPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	solved := 0
	for _, numbers := range []string{"3,3,3", "4,3,3", "4,4,4", "5,4,4", "6,6,5"} {
		g := parse(t, numbers)
		exact, general := newSolver(t, g, 1<<12), newOracle(g, 1<<14)
		for range 40 {
			cells := make([]game.Side, g.Actions())
			for _, i := range rng.Perm(len(cells))[:max(0, len(cells)-9)+rng.IntN(4)] {
				cells[i] = game.Mover(rng.IntN(2))
			}
			s, err := g.FromStones(cells, game.Mover(rng.IntN(2)), game.None)
			if err != nil {
				continue // one that is won for the side to move
			}
			solved++
			if got, want := solve(t, exact, s), solve(t, general, s); got != want {
				t.Fatalf("%s: %v with the %v to move scores %d; the general solver says %d", g.Name(), cells, s.ToMove(), got, want)
			}
		}
	}
	if solved < 100 {
		t.Errorf("%d positions are too few", solved)
	}
}

// FuzzSolve reads a board and a position from bytes: the number of the board, then the number of each move among those
// that do not end the game. Missing bytes are zeros, surplus bytes are stones too many for the board.
func FuzzSolve(f *testing.F) {
	for i := range oracleBoards {
		f.Add([]byte{byte(i)})
		f.Add([]byte{byte(i), 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			t.Skip("no board")
		}
		test := oracleBoards[int(data[0])%len(oracleBoards)]
		data = data[1:]
		g := parse(t, test.numbers)
		s, moves := wander(g, max(len(data), g.Actions()-min(test.empty, 9)), func(n int) int {
			if len(data) == 0 {
				return 0
			}
			i := int(data[0]) % n
			data = data[1:]
			return i
		})
		if got, want := solve(t, newSolver(t, g, 1<<8), s), solve(t, newOracle(g, 1<<14), s); got != want {
			t.Fatalf("%s after %q: score %d; the general solver says %d", g.Name(), game.FormatMoves(g.Start(), moves), got, want)
		}
	})
}

// wander plays moves that do not end the game, or the only one left if it does, until the board has that many stones;
// pick chooses among n.
func wander(g *mnk.Game, stones int, pick func(n int) int) (mnk.State, []game.Action) {
	s := g.Start()
	var moves, legal, quiet []game.Action
	for len(moves) < stones {
		legal = s.Legal(legal[:0])
		quiet = slices.DeleteFunc(append(quiet[:0], legal...), func(a game.Action) bool {
			_, over := s.Play(a).Outcome()
			return over
		})
		if len(quiet) == 0 {
			quiet = legal
		}
		if len(quiet) == 0 {
			break
		}
		a := quiet[pick(len(quiet))]
		s, moves = s.Play(a), append(moves, a)
	}
	return s, moves
}

var parse = gametest.Parser(mnk.Parse)

func newSolver(tb testing.TB, g *mnk.Game, entries int) *mnksolver.Solver {
	tb.Helper()
	s, err := mnksolver.New(g, entries)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func solve(tb testing.TB, s solver.Solver[mnk.State], state mnk.State) solver.Score {
	tb.Helper()
	score, err := s.Solve(tb.Context(), state)
	if err != nil {
		tb.Fatal(err)
	}
	return score
}
