package grade_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/players"
)

func TestPerfectPlayerHasFullGrades(t *testing.T) {
	g := mnk.TicTacToe()
	problems := openTicTacToe(t)
	grades := run(t, 2, g, problems, perfect(g)).Players[0]
	if grades.Parts["all"].Positions() != len(problems) || len(grades.Parts) != 7 {
		t.Errorf("%d positions in %d parts, want %d in 7", grades.Parts["all"].Positions(), len(grades.Parts), len(problems))
	}
	for name, m := range grades.Parts {
		n := m.Positions()
		full := grade.Share{Count: n, Of: n}
		if m != (grade.Totals{Optimal: full, Kept: full, Sign: full}) || n == 0 {
			t.Errorf("%s: %+v", name, m)
		}
	}
	for i, bin := range grades.Calibration {
		used := i == 0 || i == 5 || i == 9 // -1, 0 and +1
		if bin.Values != float64(bin.Results) || bin.Positions > 0 != used {
			t.Errorf("bin %d: %+v", i, bin)
		}
	}
}

// The report depends on the seed and the players alone: not on the workers, and a player's grades not on the others.
func TestGradeRepeatsItself(t *testing.T) {
	g := mnk.TicTacToe()
	problems := openTicTacToe(t)[:500]
	report := func(seed uint64, workers int, players ...players.Player[mnk.State]) []byte {
		r, err := grade.Run(t.Context(), grade.Config{Seed: seed, Workers: workers}, g, grade.Solved(problems), players, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return append(data, r.Text()...)
	}
	alone := report(3, 1, guesser[mnk.State]())
	if !bytes.Equal(alone, report(3, 1, guesser[mnk.State]())) {
		t.Error("the same seed gives different reports")
	}
	if !bytes.Equal(alone, report(3, 3, guesser[mnk.State]())) {
		t.Error("three workers give another report than one")
	}
	if bytes.Equal(alone, report(4, 1, guesser[mnk.State]())) {
		t.Error("another seed gives the same report")
	}
	both := run(t, 2, g, problems, perfect(g), guesser[mnk.State]())
	if !reflect.DeepEqual(both.Players[1], run(t, 2, g, problems, guesser[mnk.State]()).Players[0]) {
		t.Error("the grades depend on who else is graded")
	}
}

func TestGradeTellsItsProgress(t *testing.T) {
	g := mnk.TicTacToe()
	problems := openTicTacToe(t)[:50]
	var told []int
	_, err := grade.Run(t.Context(), grade.Config{Workers: 3}, g, grade.Solved(problems),
		[]players.Player[mnk.State]{perfect(g), worst(g)}, func(n int) { told = append(told, n) })
	if err != nil {
		t.Fatal(err)
	}
	if len(told) < 3 || !slices.IsSorted(told) || told[len(told)-1] != len(problems) {
		t.Errorf("told %v of %d problems", told, len(problems))
	}
}

// A worker puts several problems to a player in one call, and no problem twice.
func TestProblemsComeTogether(t *testing.T) {
	var sizes []int
	counted := players.Player[mnk.State]{Name: "counter", New: func() (players.Answerer[mnk.State], error) {
		p, err := perfect(mnk.TicTacToe()).New()
		return counter{p, &sizes}, err
	}}
	problems := openTicTacToe(t)[:50]
	run(t, 1, mnk.TicTacToe(), problems, counted)
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	if sum != len(problems) || slices.Max(sizes) < 8 {
		t.Errorf("%d problems were put in calls of %v", len(problems), sizes)
	}
}

// counter notes the sizes of calls.
type counter struct {
	players.Answerer[mnk.State]
	sizes *[]int
}

func (c counter) Analyze(ctx context.Context, lines []players.Line[mnk.State], rngs []*rand.Rand, dst []*players.Analysis) error {
	*c.sizes = append(*c.sizes, len(lines))
	return c.Answerer.Analyze(ctx, lines, rngs, dst)
}

func TestGradeFails(t *testing.T) {
	g := mnk.TicTacToe()
	problems := []grade.Problem{solve(t, "a1 b2")}
	absent := players.Player[mnk.State]{Name: "x", New: func() (players.Answerer[mnk.State], error) { return nil, errors.New("broken") }}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		ctx      context.Context
		workers  int
		problems []grade.Problem
		player   players.Player[mnk.State]
		want     string
	}{
		{t.Context(), 1, nil, perfect(g), "nothing to grade"},
		{t.Context(), 1, []grade.Problem{{Moves: []game.Action{0, 0}, Scores: problems[0].Scores}}, perfect(g), "move 2 (#0) is illegal"},
		{t.Context(), 1, []grade.Problem{{Scores: problems[0].Scores}}, perfect(g), `position "" has 9 legal moves, but 7 scores`},
		{t.Context(), 1, problems, says(4, 0), `player says: illegal move #4 in position "a1 b2"`},
		{t.Context(), 1, problems, says(99, 0), "illegal move #99"},
		{t.Context(), 1, problems, absent, "broken"},
		{stopped, 1, problems, perfect(g), "player perfect: context canceled"},
	} {
		_, err := grade.Run(c.ctx, grade.Config{Workers: c.workers}, g, grade.Solved(c.problems), []players.Player[mnk.State]{c.player}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// A stopped run reports on the positions that all players have answered.
func TestGradeStops(t *testing.T) {
	g, problems := mnk.TicTacToe(), openTicTacToe(t)
	ctx, stop := context.WithCancel(t.Context())
	answered := 0
	report, err := grade.Run(ctx, grade.Config{Workers: 2}, g, grade.Solved(problems), []players.Player[mnk.State]{perfect(g)}, func(n int) {
		if answered = n; n > 100 {
			stop()
		}
	})
	all := report.Players[0].Parts["all"]
	if !errors.Is(err, context.Canceled) || report.Positions != answered || all.Positions() != answered || answered >= len(problems) || all.Kept.Value() != 1 {
		t.Errorf("%v: %d positions, %d graded, %d answered of %d", err, report.Positions, all.Positions(), answered, len(problems))
	}
}
