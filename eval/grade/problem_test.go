package grade_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

// After a corner, only the centre draws. X's fifth stone, the last on the board, scores 1, its fourth 2, its third 3.
func TestSolve(t *testing.T) {
	p := solve(t, "a1")
	if len(p.Moves) != 1 || p.Score() != 0 || len(p.Scores) != 8 || !slices.Equal(p.Parts, []string{"all", "beginning", "hard"}) {
		t.Fatalf("%+v", p)
	}
	for i, a := range at(t, p).Legal(nil) {
		draws := mnk.TicTacToe().Start().Format(a) == "b2"
		if (p.Scores[i] == 0) != draws || p.Scores[i] > 0 {
			t.Errorf("%s scores %d", mnk.TicTacToe().Start().Format(a), p.Scores[i])
		}
	}
}

func TestSolveFails(t *testing.T) {
	g := connect4.Standard()
	for want, moves := range map[string][]game.Action{"move 7 (#0) is illegal": {0, 0, 0, 0, 0, 0, 0}, "over": {0, 1, 0, 1, 0, 1, 0}} {
		if _, err := grade.Solve(t.Context(), g, newOracle(g), moves); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), game.FormatMoves(g.Start(), moves)) {
			t.Errorf("error %v, want one with %q and the moves", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ttt := mnk.TicTacToe()
	if _, err := grade.Solve(ctx, ttt, newOracle(ttt), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// endEasy are lines of Pons' benchmark set for Connect Four.
const endEasy = `2252576253462244111563365343671351441 -1
7422341735647741166133573473242566 1

	 2252576253462244111563365343671351441   -1
`

func readConnect4(t *testing.T, text string) ([]grade.Problem, error) {
	g := connect4.Standard()
	return grade.ReadProblems(t.Context(), strings.NewReader(text), g, newOracle(g))
}

func TestReadProblems(t *testing.T) {
	problems, err := readConnect4(t, endEasy)
	if err != nil {
		t.Fatal(err)
	}
	var plies, scores []int
	for _, p := range problems {
		plies, scores = append(plies, len(p.Moves)), append(scores, int(p.Score()))
	}
	if !slices.Equal(plies, []int{37, 34, 37}) || !slices.Equal(scores, []int{-1, 1, -1}) {
		t.Errorf("plies %v, scores %v", plies, scores)
	}
}

// On other boards the moves have spaces between them, and the starting position has no moves at all. A position may be a
// board.
func TestReadProblemsOfOtherBoards(t *testing.T) {
	g := mnk.TicTacToe()
	problems, err := grade.ReadProblems(t.Context(), strings.NewReader("0\na1 a3 b1 b3 3\nA1  B2 0\nX.O/.../X.O X 3"), g, newOracle(g))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, p := range problems {
		texts = append(texts, game.FormatMoves(g.Start(), p.Moves)+p.Board)
	}
	if want := []string{"", "a1 a3 b1 b3", "a1 b2", "X.O/.../X.O X"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}

func TestReadProblemsRefuses(t *testing.T) {
	const good = "2252576253462244111563365343671351441 -1\n\n"
	for text, want := range map[string]string{
		good + "44 x":        `"44 x" does not end in a score`,
		good + "4 1.5":       `"4 1.5" does not end in a score`,
		good + "8 1":         `"8"`,
		good + "1111111 1":   "not legal",
		good + "1212121 -18": "over",
		good + "2252576253462244111563365343671351441 1": "score -1, not 1",
		good + strings.Repeat("1", 100_000):              "too long",
		good + "X./. X 1":                                "row 1 of 2",
	} {
		_, err := readConnect4(t, text)
		if err == nil || !strings.HasPrefix(err.Error(), "line 3: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %.300v, want one with line 3 and %s", err, want)
		}
	}
}

// Whatever is read without an error is right, and written down again is read as the same.
func FuzzReadProblems(f *testing.F) {
	f.Add("0\n")
	f.Add("a1 a3 b1 b3 3\na1 b2 0")
	f.Add("a1 b2 c3 -0\r\n")
	f.Add("a1 a1 1\nx")
	f.Add("XO./... /.(x). o -3\nXXOOOXX.O X 0")
	g := mnk.TicTacToe()
	o := newOracle(g)
	f.Fuzz(func(t *testing.T, text string) {
		problems, err := grade.ReadProblems(t.Context(), strings.NewReader(text), g, o)
		if err != nil {
			return
		}
		var b strings.Builder
		for _, p := range problems {
			if score, err := o.Solve(t.Context(), at(t, p)); p.Score() != score || err != nil {
				t.Fatalf("%v has the score %d, not %d, %v", p.Moves, p.Score(), score, err)
			}
			fmt.Fprintln(&b, game.FormatMoves(g.Start(), p.Moves)+p.Board, p.Score())
		}
		again, err := grade.ReadProblems(t.Context(), strings.NewReader(b.String()), g, o)
		if err != nil || !reflect.DeepEqual(problems, again) {
			t.Fatalf("%q, read again (%v), is %v", b.String(), err, again)
		}
	})
}

func TestSpread(t *testing.T) {
	var all []grade.Problem
	for a := range game.Action(7) {
		all = append(all, grade.Problem{Moves: []game.Action{a}})
	}
	for n, want := range map[int][]game.Action{0: {}, 1: {0}, 3: {0, 2, 4}, 7: {0, 1, 2, 3, 4, 5, 6}, 9: {0, 1, 2, 3, 4, 5, 6}} {
		got := []game.Action{}
		for _, p := range (grade.Set{Problems: all}).Spread(n).Problems {
			got = append(got, p.Moves[0])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d of 7: %v; want %v", n, got, want)
		}
	}
}
