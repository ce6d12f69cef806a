package arena_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"tengen/arena"
	"tengen/game/mnk"
)

// groups are the marks of a player with their names.
func groups(g arena.Grades) map[string]arena.Marks {
	return map[string]arena.Marks{
		"all": g.All, "beginning": g.Beginning, "middle": g.Middle, "end": g.End,
		"easy": g.Easy, "medium": g.Medium, "hard": g.Hard,
	}
}

func TestPerfectPlayerHasFullMarks(t *testing.T) {
	g := mnk.TicTacToe()
	problems := openTicTacToe(t)
	grades := grade(t, 2, g, problems, perfect(g)).Players[0]
	if grades.All.Positions() != len(problems) {
		t.Errorf("%d positions, want %d", grades.All.Positions(), len(problems))
	}
	for name, m := range groups(grades) {
		n := m.Positions()
		full := arena.Share{Count: n, Of: n}
		if m != (arena.Marks{Optimal: full, Kept: full, Sign: full}) || n == 0 {
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
	report := func(seed uint64, workers int, candidates ...arena.Candidate[mnk.State]) []byte {
		r, err := arena.Grade(t.Context(), arena.GradeConfig{Seed: seed, Workers: workers}, g, problems, candidates, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return append(data, r.Table()...)
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
	both := grade(t, 2, g, problems, perfect(g), guesser[mnk.State]())
	if both.Players[1] != grade(t, 2, g, problems, guesser[mnk.State]()).Players[0] {
		t.Error("the grades depend on who else is graded")
	}
}

func TestGradeTellsItsProgress(t *testing.T) {
	g := mnk.TicTacToe()
	problems := openTicTacToe(t)[:50]
	var told []int
	_, err := arena.Grade(t.Context(), arena.GradeConfig{Workers: 3}, g, problems,
		[]arena.Candidate[mnk.State]{perfect(g), worst(g)}, func(n int) { told = append(told, n) })
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range told {
		if n != i+1 {
			t.Fatalf("told %v", told)
		}
	}
	if len(told) != len(problems) {
		t.Errorf("told %d times of %d problems", len(told), len(problems))
	}
}

func TestGradeFails(t *testing.T) {
	g := mnk.TicTacToe()
	problems := []arena.Problem[mnk.State]{solve(t, "a1 b2")}
	absent := arena.Candidate[mnk.State]{Name: "x", New: func() (arena.Analyst[mnk.State], error) { return nil, errors.New("broken") }}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		ctx       context.Context
		workers   int
		problems  []arena.Problem[mnk.State]
		candidate arena.Candidate[mnk.State]
		want      string
	}{
		{t.Context(), 0, problems, perfect(g), "grade: workers is 0, allowed are 1 and more"},
		{t.Context(), 1, nil, perfect(g), "grade: nothing to do: it takes at least one position and one player"},
		{t.Context(), 1, problems, says(4, 0), `grade: player says at position "a1 b2": illegal move b2 (action 4)`},
		{t.Context(), 1, problems, says(99, 0), `grade: player says at position "a1 b2": illegal move #99 (action 99)`},
		{t.Context(), 1, problems, absent, "grade: player x: broken"},
		{stopped, 1, problems, perfect(g), `grade: player perfect at position "a1 b2": context canceled`},
	} {
		_, err := arena.Grade(c.ctx, arena.GradeConfig{Workers: c.workers}, g, c.problems, []arena.Candidate[mnk.State]{c.candidate}, nil)
		if err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
