package grade_test

import (
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/players"
	"tengen/solver"
)

// readSuite reads a half of a suite of tic-tac-toe.
func readSuite(t *testing.T, text, half string) (grade.Set, error) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return grade.ReadSuite(&b, mnk.TicTacToe(), half)
}

// X wins at c1, O must take c1, and the last has the scores of four moves.
const (
	rightSuite  = "right task depth\ndev: win, all; win, short\na1 a2 b1 b2 | c1\nfinal: defend, all; defend, short\na1 b2 b1 | c1\n"
	scoredSuite = "scores stage\ndev: end\na1 a2 b1 b2 c2 | 2 -1 -1 0\n"
	openings    = "openings\ndev:\na1 a2\nfinal:\nb2\n"
)

// Each half of a suite of any kind has its problems, with their answers.
func TestSuites(t *testing.T) {
	wins, defences := []string{"win, all", "win, short"}, []string{"defend, all", "defend, short"}
	end := []string{"end"}
	for _, c := range []struct {
		text, half string
		want       grade.Set
	}{
		{rightSuite, "dev", grade.Set{Facets: []string{"task", "depth"}, Parts: wins,
			Problems: []grade.Problem{{Moves: []game.Action{6, 3, 7, 4}, Parts: wins, Right: []game.Action{8}}}}},
		{rightSuite, "final", grade.Set{Facets: []string{"task", "depth"}, Parts: defences,
			Problems: []grade.Problem{{Moves: []game.Action{6, 4, 7}, Parts: defences, Right: []game.Action{8}}}}},
		{scoredSuite, "dev", grade.Set{Facets: []string{"stage"}, Parts: end,
			Problems: []grade.Problem{{Moves: []game.Action{6, 3, 7, 4, 5}, Parts: end, Scores: []solver.Score{2, -1, -1, 0}}}}},
		{openings, "final", grade.Set{Facets: []string{}, Problems: []grade.Problem{{Moves: []game.Action{4}}}}},
	} {
		if got, err := readSuite(t, c.text, c.half); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("the half %s of %q is %+v, %v; want %+v", c.half, c.text, got, err, c.want)
		}
	}
}

// Right moves count in each part of a problem.
func TestRunOfAnExam(t *testing.T) {
	set, err := readSuite(t, strings.ReplaceAll(rightSuite, "final", "dev"), "dev")
	if err != nil {
		t.Fatal(err)
	}
	stubborn := entrant("stubborn", func() advice[mnk.State] {
		return func(s mnk.State, _ *rand.Rand) (game.Action, float32) { return s.Legal(nil)[0], 0 }
	})
	report, err := grade.Run(t.Context(), grade.Config{Workers: 2}, mnk.TicTacToe(), set, []players.Player[mnk.State]{says(8, 0), stubborn}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, count := range []int{1, 0} {
		for _, part := range []string{"win, all", "win, short", "defend, all", "defend, short"} {
			if got := report.Players[i].Parts[part]; got != (grade.Totals{Kept: grade.Share{Count: count, Of: 1}}) {
				t.Errorf("%s, %s: %+v; want %d right", report.Players[i].Player, part, got, count)
			}
		}
	}
}

func TestBadSuites(t *testing.T) {
	const head = "right task depth\ndev: win, all\n"
	for text, want := range map[string]string{
		"moves task\n":                     `line 1: "moves task" does not begin with scores, right or openings`,
		"\n":                               "line 1: ",
		"right task\na1 | b1\n":            "line 2: there is a position before the first section",
		"right task\nall: win\n":           `line 2: the half is "all", but must be dev or final`,
		"right task depth\ndev: win\n":     `line 2: the part "win" does not give task and depth`,
		head + "a1 z9 | b1\n":              "line 3: ",
		head + "a1 | z9\n":                 "line 3: ",
		head + "a1 | ,\n":                  `line 3: the answer "," is 0 moves: write one`,
		head + "a1 | b1b2\n":               `line 3: the answer "b1b2" is 2 moves: write one`,
		head + "a1 |\n":                    `line 3: "a1 |" has no answer after a bar`,
		"scores stage\ndev: end\n | 1 x\n": `line 3: "x" is not a score`,
		"scores stage\ndev: end\na1\n":     "line 3: ",
	} {
		if _, err := readSuite(t, text, "final"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v; want %s", text, err, want)
		}
	}
	if _, err := grade.ReadSuite(strings.NewReader("right task"), mnk.TicTacToe(), "dev"); err == nil {
		t.Error("a file that is not compressed was read")
	}
}
