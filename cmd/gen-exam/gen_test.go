package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/eval/grade"
	"tengen/eval/suites"
	"tengen/game"
	"tengen/internal/fulltest"
	"tengen/solver"
)

// generate draws three positions for each cell of the later stages, and returns the work file and what was written.
func generate(t *testing.T, seed uint64, workers int, work []byte) (workFile, out []byte) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "work")
	if err := os.WriteFile(path, work, 0o644); err != nil {
		t.Fatal(err)
	}
	cfg := config{seed: seed, size: 3, workers: workers, megabytes: 1}
	if err := run(t.Context(), cfg, []int{middle, end}, path, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []struct {
		name string
		to   *[]byte
	}{{"work", &workFile}, {"out", &out}} {
		var err error
		if *file.to, err = os.ReadFile(filepath.Join(dir, file.name)); err != nil {
			t.Fatal(err)
		}
	}
	return workFile, out
}

func TestSeedDecides(t *testing.T) {
	_, want := generate(t, 1, 1, nil)
	if _, got := generate(t, 1, 3, nil); !bytes.Equal(got, want) {
		t.Error("three workers draw other positions than one")
	}
	if _, got := generate(t, 2, 1, nil); bytes.Equal(got, want) {
		t.Error("another seed draws the same positions")
	}
}

// Whatever part of the work file a run left, the next goes on to the same result.
func TestGoesOn(t *testing.T) {
	work, want := generate(t, 1, 2, nil)
	half := len(work) / 2
	for _, n := range fulltest.Pick([]int{half}, []int{1, len(work) / 3, half, len(work) - 1, len(work)}) {
		again, got := generate(t, 1, 2, work[:n])
		if !bytes.Equal(got, want) || !bytes.Equal(again, work) {
			t.Fatalf("from %d bytes of the work file on, other positions are drawn", n)
		}
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	err := run(ctx, config{seed: 1, size: 1, workers: 2, megabytes: 1}, []int{beginning, middle, end}, filepath.Join(dir, "work"), filepath.Join(dir, "out"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want %v", err, context.Canceled)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("it was stopped, but there is a result")
	}
}

func TestDamagedWork(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work")
	for _, line := range []string{"0 1\n", `{"stage":0,"number":"x","moves":[3],"scores":[1]}` + "\n", `{"stage":0,"number":1,"moves":[3]}` + "\n", "\n"} {
		if err := os.WriteFile(path, []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := openLog(path); err == nil {
			t.Errorf("%q was read", line)
		}
	}
}

// The first positions of the middle and the end are those of the suite that comes with the program, all of which belong to their cells.
func TestSuiteIsOfThisCommand(t *testing.T) {
	file, err := suites.Files.Open("connect4.exam.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	suite, err := grade.ReadSuite(file, board)
	if err != nil {
		t.Fatal(err)
	}
	known := map[game.Key]string{}
	for _, section := range suite.Sections {
		for _, p := range section.Problems {
			drawn := &problem{p.Moves, p.Scores}
			known[drawn.folded()] = section.Parts[0]
			position, err := game.Replay(board, p.Moves)
			if err != nil || drawn.cell().String() != section.Parts[0] || !eligible(position, slices.Max(p.Scores)) {
				t.Errorf("%s is in %q, error %v; want %v", board.FormatMoves(p.Moves), section.Parts[0], err, drawn.cell())
			}
		}
	}
	l, err := openLog(filepath.Join(t.TempDir(), "work"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.file.Close()
	for _, stage := range []int{middle, end} {
		problems, err := drawStage(t.Context(), config{seed: 1, size: 3, workers: 2, megabytes: 1}, stage, l)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if known[p.folded()] != p.cell().String() {
				t.Errorf("the exam lacks %s, %v", board.FormatMoves(p.Moves), p.cell())
			}
		}
	}
}

func TestCellOf(t *testing.T) {
	for _, test := range []struct {
		ply   int
		score solver.Score
		want  string
	}{
		{0, 1, "beginning, hard"}, {13, 0, "beginning, hard"}, {13, 8, "beginning, medium"}, {13, 9, "beginning, easy"},
		{14, 0, "middle, medium"}, {28, 0, "middle, medium"}, {29, 0, "end, easy"},
	} {
		if got := cellOf(test.ply, test.score).String(); got != test.want {
			t.Errorf("%d stones, score %d: %s; want %s", test.ply, test.score, got, test.want)
		}
	}
}

// Without workers, or without positions to draw, nothing takes the place of the file that is there.
func TestRefuses(t *testing.T) {
	for want, cfg := range map[string]config{"-workers is 0": {size: 1, megabytes: 1}, "-size is 0": {workers: 1, megabytes: 1}} {
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // or it would draw for ever
		err := run(ctx, cfg, []int{beginning, middle, end}, filepath.Join(dir, "work"), filepath.Join(dir, "out"))
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %s", err, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
			t.Errorf("%s, and there is a result", want)
		}
	}
}
