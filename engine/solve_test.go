package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
)

func TestSolver(t *testing.T) {
	for _, c := range []struct {
		game, moves string
		score       int
		scores      []int
	}{
		{"connect4", "444441112222135555", 0, nil},
		{"tictactoe", "a1 b2 c1 c3", 0, []int{0, 0, 0, 0, 0}},
		{"mnk:4,1,2", "", 1, []int{0, 1, 1, 0}},
	} {
		e := open(t, c.game)
		p := parsed(t, c.game, c.moves)
		exact, err := e.Solver(DefaultSolverOptions())
		noError(t, err)
		s, err := exact.Solve(t.Context(), p, true)
		noError(t, err)
		if len(s.Scores) != len(p.Legal) || slices.Max(s.Scores) != s.Score {
			t.Errorf("%s %s: score %d, the moves' %v", c.game, c.moves, s.Score, s.Scores)
		}
		j := NewSolutionJSON(p, s)
		if j.Moves != e.Format(p.Moves...) || j.Score != s.Score || len(j.Scores) != len(p.Legal) || j.Scores[e.Format(p.Legal[0])] != s.Scores[0] {
			t.Errorf("%+v of %+v", j, s)
		}
		if text := SolutionText(p, s); !strings.HasPrefix(text, p.Name()+" ") || !strings.Contains(text, " "+p.Format(p.Legal[0])+":") {
			t.Errorf("%q", text)
		}
	}
}

// The stones of a position that was set up count as plies.
func TestQuickToSolve(t *testing.T) {
	e := open(t, "connect4")
	played := parsed(t, "connect4", "123456712345")
	setUp, err := e.ParseBoard("......./......./......./......./OXOXO../XOXOXOX")
	noError(t, err)
	if !played.QuickToSolve(t.Context()) || !setUp.QuickToSolve(t.Context()) || e.Start().QuickToSolve(t.Context()) {
		t.Error("want the positions of ply 12 to be quick to solve, but not the start")
	}
}

func TestSolverRefuses(t *testing.T) {
	e := open(t, "connect4")
	for want, o := range map[string]SolverOptions{
		"table_megabytes is 0": {Threads: 1},
		"threads is 300":       {TableMegabytes: 1, Threads: 300},
	} {
		_, err := e.Solver(o)
		wantError(t, err, want, true)
	}
	_, err := e.Solver(SolverOptions{TableMegabytes: 1, Threads: 1, Book: "nowhere.book"})
	wantError(t, err, "nowhere.book", false)
}

func TestCountErrors(t *testing.T) {
	e := open(t, "tictactoe")
	enough := errors.New("enough")
	wantError(t, e.Count(t.Context(), -1, nil), "plies is -1", true)
	if err := e.Count(t.Context(), 3, func(game.Census) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Count(ctx, 3, func(game.Census) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSolveCheck(t *testing.T) {
	var c SolveCheck
	if err := c.Err(); err != nil || c.Text() != "0 of 0 scores as expected; mean 0 nodes, 0.0 microseconds; slowest 0 microseconds" {
		t.Errorf("%q, %v", c.Text(), err)
	}
	c.Add(Solution{Score: 3, Nodes: 10, Time: 2 * time.Microsecond}, 3)
	c.Add(Solution{Score: -1, Nodes: 20, Time: 7 * time.Microsecond}, 1)
	if want := "1 of 2 scores as expected; mean 15 nodes, 4.5 microseconds; slowest 7 microseconds"; c.Text() != want {
		t.Errorf("%q, want %q", c.Text(), want)
	}
	wantError(t, c.Err(), "1 of 2 scores are not as expected", false)
}

func TestSplitExpected(t *testing.T) {
	for line, want := range map[string]struct {
		position string
		score    int
	}{"44 -3": {"44", -3}, " h8  i9 0 ": {"h8 i9", 0}, "5": {"", 5}} {
		if position, score, err := SplitExpected(line); position != want.position || score != want.score || err != nil {
			t.Errorf("%q: %q, %d, %v", line, position, score, err)
		}
	}
	for line, want := range map[string]string{"": "the line is empty", "44 won": `the line ends in "won"`} {
		_, _, err := SplitExpected(line)
		wantError(t, err, want, true)
	}
}
