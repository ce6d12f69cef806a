package solver_test

import (
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/solver"
)

// On any position of any small board, alpha-beta finds minimax's score, also in the images of the position.
func TestSolversAgree(t *testing.T) {
	t.Run("mnk", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			columns, rows, k := drawBoard(t, 4, 3)
			g, err := mnk.New(game.Size{Rows: rows, Columns: columns}, k)
			if err != nil {
				t.Fatal(err)
			}
			checkAgreement(t, g)
		})
	})
	t.Run("connect4", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			columns, rows, k := drawBoard(t, 4, 4)
			g, err := connect4.New(game.Size{Rows: rows, Columns: columns}, k)
			if err != nil {
				t.Fatal(err)
			}
			checkAgreement(t, g)
		})
	})
}

func drawBoard(t *rapid.T, maxColumns, maxRows int) (columns, rows, k int) {
	columns = rapid.IntRange(1, maxColumns).Draw(t, "columns")
	rows = rapid.IntRange(1, maxRows).Draw(t, "rows")
	k = rapid.IntRange(1, max(columns, rows)).Draw(t, "k")
	return columns, rows, k
}

func checkAgreement[S game.State[S]](t *rapid.T, g game.Game[S]) {
	symmetry := rapid.SampledFrom(g.Symmetries()).Draw(t, "symmetry").Actions
	s, image := g.Start(), g.Start()
	opening := max(0, g.MaxPlies()-9) // so many plies are left for minimax
	for range rapid.IntRange(opening, g.MaxPlies()).Draw(t, "plies") {
		legal := s.Legal(nil)
		if len(legal) == 0 {
			break
		}
		a := rapid.SampledFrom(legal).Draw(t, "move")
		s, image = s.Play(a), image.Play(symmetry[a])
	}
	want := minimax(s, g.MaxPlies(), map[game.Key]solver.Score{})
	for _, config := range configs {
		by := solver.NewAlphaBeta(g, config)
		for _, s := range []S{s, image} {
			if got, err := by.Solve(t.Context(), s); err != nil || got != want {
				t.Fatalf("%+v on %s: position %x of ply %d scores %d, %v; want %d", config, g.Name(), s.Key(), s.Ply(), got, err, want)
			}
		}
	}
	checkSearcher(t, g, s)
}

// checkSearcher holds that a search to the end of the game is exact, and that what a shorter one calls proven is.
func checkSearcher[S game.State[S]](t *rapid.T, g game.Game[S], s S) {
	legal := s.Legal(nil)
	if len(legal) == 0 {
		return
	}
	want, err := solver.Moves(t.Context(), solver.NewAlphaBeta(g, crowded), s, legal)
	if err != nil {
		t.Fatal(err)
	}
	config := rapid.SampledFrom(configs).Draw(t, "config")
	depth := rapid.IntRange(0, 9).Draw(t, "depth")
	searcher, err := solver.NewSearcher(g, config)
	if err != nil {
		t.Fatal(err)
	}
	result := deepen(t.Context(), searcher, s, depth)
	scores := map[game.Action]solver.Score{}
	for i, a := range legal {
		scores[a] = want[i]
	}
	if end := g.MaxPlies() - s.Ply(); (depth == 0 || depth >= end) && !result.Proven {
		t.Fatalf("depth %d of %d: not proven", depth, end)
	}
	if result.Proven {
		checkProven(t, result, scores)
	}
}

// checkProven holds a proven result against the scores of all moves: the best are the best, all of them, with their scores.
func checkProven(t *rapid.T, result solver.Result, scores map[game.Action]solver.Score) {
	most := scores[result.Moves[0].Action]
	best := 0
	for _, score := range scores {
		most = max(most, score)
	}
	for _, score := range scores {
		if score == most {
			best++
		}
	}
	if len(result.Best()) != best {
		t.Fatalf("%+v: %d moves are best; want %d of %v", result, len(result.Best()), best, scores)
	}
	for _, m := range result.Best() {
		if m.Value.Score() != scores[m.Action] || scores[m.Action] != most {
			t.Fatalf("%+v: move %d has score %d; want %d, the best of %v", result, m.Action, m.Value.Score(), most, scores)
		}
	}
}
