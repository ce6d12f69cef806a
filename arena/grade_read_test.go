package arena_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tengen/arena"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

// endEasy are lines of Pons' benchmark set for Connect Four.
const endEasy = `2252576253462244111563365343671351441 -1
7422341735647741166133573473242566 1

	 2252576253462244111563365343671351441   -1
`

func readConnect4(t *testing.T, text string) ([]arena.Problem[connect4.State], error) {
	g := connect4.Standard()
	return arena.ReadProblems(t.Context(), strings.NewReader(text), g, newOracle(g))
}

func TestReadProblems(t *testing.T) {
	problems, err := readConnect4(t, endEasy)
	if err != nil {
		t.Fatal(err)
	}
	var plies, scores []int
	for _, p := range problems {
		plies, scores = append(plies, p.Position.Ply()), append(scores, int(p.Score))
	}
	if !slices.Equal(plies, []int{37, 34, 37}) || !slices.Equal(scores, []int{-1, 1, -1}) {
		t.Errorf("plies %v, scores %v", plies, scores)
	}
}

// On other boards the moves have spaces between them, and the starting position has no moves at all.
func TestReadProblemsOfOtherBoards(t *testing.T) {
	g := mnk.TicTacToe()
	problems, err := arena.ReadProblems(t.Context(), strings.NewReader("0\na1 a3 b1 b3 3\nA1  B2 0"), g, newOracle(g))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, p := range problems {
		texts = append(texts, g.FormatMoves(p.Moves))
	}
	if want := []string{"", "a1 a3 b1 b3", "a1 b2"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}

func TestReadProblemsRefuses(t *testing.T) {
	const good = "2252576253462244111563365343671351441 -1\n\n"
	for text, want := range map[string]string{
		good + "44 x":        `line 3: "44 x" does not end in a score: write the moves, a space and a whole number`,
		good + "4 1.5":       `line 3: "4 1.5" does not end in a score: write the moves, a space and a whole number`,
		good + "8 1":         `line 3: `,
		good + "1111111 1":   `line 3: position "1111111": move 7 (1) is illegal`,
		good + "1212121 -18": `line 3: position "1212121": the game is over, there is no move to choose`,
		good + "2252576253462244111563365343671351441 1": `line 3: position "2252576253462244111563365343671351441" has the score -1, not 1: ` +
			`the line is wrong, or meant for another board than connect4`,
		good + strings.Repeat("1", 100_000): `line 3: bufio.Scanner: token too long`,
	} {
		if _, err := readConnect4(t, text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %.300v, want %s", err, want)
		}
	}
}

// Whatever is read without an error is right, and written down again is read as the same.
func FuzzReadProblems(f *testing.F) {
	f.Add("0\n")
	f.Add("a1 a3 b1 b3 3\na1 b2 0")
	f.Add("a1 b2 c3 -0\r\n")
	f.Add("a1 a1 1\nx")
	g := mnk.TicTacToe()
	o := newOracle(g)
	f.Fuzz(func(t *testing.T, text string) {
		problems, err := arena.ReadProblems(t.Context(), strings.NewReader(text), g, o)
		if err != nil {
			return
		}
		var b strings.Builder
		for _, p := range problems {
			if score := o.score(p.Position); p.Score != score {
				t.Fatalf("%v has the score %d, not %d", p.Moves, score, p.Score)
			}
			fmt.Fprintln(&b, g.FormatMoves(p.Moves), p.Score)
		}
		again, err := arena.ReadProblems(t.Context(), strings.NewReader(b.String()), g, o)
		if err != nil || !slices.EqualFunc(problems, again, func(p, q arena.Problem[mnk.State]) bool { return p.Position == q.Position }) {
			t.Fatalf("%q, read again (%v), is %v", b.String(), err, again)
		}
	})
}
