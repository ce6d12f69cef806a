package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/eval/suites"
	"tengen/game"
	"tengen/internal/fulltest"
	"tengen/solver"
)

// small draws a few positions of each short part of gomoku's exam, and an opening, for each half.
func small(seed uint64, workers int) config {
	return config{seed: seed, workers: workers, proven: map[string]int{"short": fulltest.Pick(2, 3)}, openings: 1}
}

// generate returns the lines of gomoku's files.
func generate(t *testing.T, cfg config) (problems, openings []string) {
	t.Helper()
	dir := t.TempDir()
	if err := run(t.Context(), cfg, dir, []string{"gomoku.openings", "gomoku.exam"}); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]*[]string{"exam": &problems, "openings": &openings} {
		file, err := os.Open(filepath.Join(dir, "gomoku."+name+".txt.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		*to = lines(t, file)
	}
	return problems, openings
}

// lines are the problems of a suite of gomoku, each with its half, its parts and its right moves.
func lines(t *testing.T, file io.Reader) (all []string) {
	t.Helper()
	suite, err := grade.ReadSuite(file, board)
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range suite.Sections {
		for _, p := range section.Problems {
			all = append(all, fmt.Sprint(section.Half, section.Parts, game.FormatMoves(board.Start(), p.Moves), " | ", game.FormatMoves(board.Start(), p.Right)))
		}
	}
	return all
}

// known opens a suite that comes with the program.
func known(t *testing.T, name string) io.Reader {
	t.Helper()
	file, err := suites.Files.Open(name + ".txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func TestSeedDecides(t *testing.T) {
	problems, openings := generate(t, small(1, 1))
	if want := 4 * fulltest.Pick(2, 3); len(problems) != want || len(openings) != 2 {
		t.Errorf("%d positions and %d openings; want %d and 2", len(problems), len(openings), want)
	}
	again, openingsAgain := generate(t, small(1, 8))
	if !slices.Equal(again, problems) || !slices.Equal(openingsAgain, openings) {
		t.Error("eight workers draw other positions than one")
	}
	if !fulltest.On {
		return // what follows takes as long, and is not about workers
	}
	if other, _ := generate(t, small(2, 2)); slices.Equal(other, problems) {
		t.Error("another seed draws the same positions")
	}
}

// The first positions of the middle and the end of Connect Four are those of the suite that comes with the program, all of which
// belong to their parts.
func TestScoredSuiteIsOfThisCommand(t *testing.T) {
	suite, err := grade.ReadSuite(known(t, "connect4.exam"), four)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[game.Key]string{}
	for _, section := range suite.Sections {
		for _, p := range section.Problems {
			position, err := game.Replay(four, p.Moves)
			if err != nil || partOf(len(p.Moves), p.Score()) != section.Parts[0] || !eligible(position, p.Score()) {
				t.Errorf("%s is in %q, error %v; want %s", game.FormatMoves(four.Start(), p.Moves), section.Parts[0], err, partOf(len(p.Moves), p.Score()))
			}
			parts[grade.Folded(four, p.Moves)] = section.Parts[0]
		}
	}
	for stage := 1; stage <= 2; stage++ {
		drawn, err := drawStage(t.Context(), config{seed: 1, workers: 3, scored: 2}, stage)
		if err != nil || len(drawn) != len(stages[stage].parts) {
			t.Fatalf("%d parts, error %v", len(drawn), err)
		}
		for part, problems := range drawn {
			for _, p := range problems {
				if parts[grade.Folded(four, p.Moves)] != part {
					t.Errorf("the exam lacks %s in %s", game.FormatMoves(four.Start(), p.Moves), part)
				}
			}
			if len(problems) != 4 {
				t.Errorf("%d positions of %s; want 4", len(problems), part)
			}
		}
	}
}

// Problems are dealt out in turn, by their stones.
func TestDivide(t *testing.T) {
	var all []grade.Problem
	for _, moves := range []string{"444", "11", "22", "1"} {
		actions, _, err := game.ParseMoves(four.Start(), moves)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, grade.Problem{Moves: actions})
	}
	var got []string
	for _, half := range divide(all) {
		for _, p := range half {
			got = append(got, game.FormatMoves(four.Start(), p.Moves))
		}
	}
	if want := []string{"1", "22", "11", "444"}; !slices.Equal(got, want) {
		t.Errorf("the halves are %q; want %q", got, want)
	}
}

func TestPartOf(t *testing.T) {
	for _, test := range []struct {
		ply   int
		score solver.Score
		want  string
	}{
		{0, 1, "beginning, hard"}, {13, 0, "beginning, hard"}, {13, 8, "beginning, medium"}, {13, 9, "beginning, easy"},
		{14, 0, "middle, medium"}, {28, 0, "middle, medium"}, {29, 0, "end, easy"},
	} {
		if got := partOf(test.ply, test.score); got != test.want {
			t.Errorf("%d stones, score %d: %s; want %s", test.ply, test.score, got, test.want)
		}
	}
}

// What cannot be done leaves no file.
func TestFails(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if err := run(t.Context(), small(1, 0), dir, nil); err == nil || !strings.Contains(err.Error(), "-workers is 0") {
		t.Errorf("no workers: %v", err)
	}
	if err := run(t.Context(), small(1, 1), dir, []string{"book"}); err == nil || !strings.Contains(err.Error(), `"book"`) {
		t.Errorf("error %v; want one with the name", err)
	}
	for _, f := range files {
		if err := run(stopped, config{seed: 1, workers: 2, scored: 1, proven: map[string]int{"short": 1}, openings: 1}, dir, []string{f.name}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v; want %v", f.name, err, context.Canceled)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("there are files %v, error %v", left, err)
	}
}
