package main

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/eval/gomoku"
	"tengen/eval/grade"
	"tengen/game"
	"tengen/internal/fulltest"
	"tengen/internal/random"
)

// few is how many positions of each short cell are drawn.
var few = fulltest.Pick(2, 3)

// small draws a few positions of each short cell and an opening, for each half.
func small(seed uint64, workers int) config {
	return config{seed: seed, workers: workers, openings: 1, cells: map[gomoku.Cell]int{
		{Task: gomoku.Win, Depth: gomoku.Short}: few, {Task: gomoku.Defend, Depth: gomoku.Short}: few,
	}}
}

// generate returns the lines of both files.
func generate(t *testing.T, cfg config) (problems, openings []string) {
	t.Helper()
	dir := t.TempDir()
	if err := run(t.Context(), cfg, dir, []string{"exam", "openings"}); err != nil {
		t.Fatal(err)
	}
	return lines(t, filepath.Join(dir, "exam.txt.gz")), lines(t, filepath.Join(dir, "openings.txt.gz"))
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestSeedDecides(t *testing.T) {
	problems, openings := generate(t, small(1, 1))
	if len(problems) != 4*few || len(openings) != 2 {
		t.Errorf("%d positions and %d openings; want %d and 2", len(problems), len(openings), 4*few)
	}
	again, openingsAgain := generate(t, small(1, 8))
	if !slices.Equal(again, problems) || !slices.Equal(openingsAgain, openings) {
		t.Error("three workers draw other positions than one")
	}
	if !fulltest.On {
		return // what follows takes as long, and is not about workers
	}
	if other, _ := generate(t, small(2, 2)); slices.Equal(other, problems) {
		t.Error("another seed draws the same positions")
	}
}

// The files in the program are of this command: what it draws first is there.
func TestFilesAreOfThisCommand(t *testing.T) {
	known := map[string]bool{}
	for _, half := range []grade.Half{grade.Dev, grade.Final} {
		for _, p := range gomoku.Exam(half) {
			known[p.Line()] = true
		}
	}
	player := newPlayer(1)
	for number := range fulltest.Pick(4, 20) {
		problems := player.play(number)
		for _, task := range []gomoku.Task{gomoku.Win, gomoku.Defend} {
			if p, ok := pick(problems, task); ok && !known[p.Line()] {
				t.Errorf("game %d: the exam lacks %s", number, p.Line())
			}
		}
	}
	referee := newReferee(1)
	for number := 0; ; number += 2 {
		if first := referee.draw(number); first != nil {
			if want := gomoku.Openings(grade.Dev)[0]; !slices.Equal(first, want) {
				t.Errorf("the first opening is %s; want %s", board.FormatMoves(first), board.FormatMoves(want))
			}
			break
		}
	}
}

// Stones are scattered near the centre and each other, and the mover sees what is forced.
func TestMover(t *testing.T) {
	m := newMover(20, true)
	for moves, want := range map[string]string{
		"h8 a1 i8 a3 j8 a5 k8 o15": "g8 l8", // completes five
		"h8 a1 i8 a3 j8":           "g8 k8", // stops an open three
	} {
		line, err := board.ParseMoves(moves)
		if err != nil {
			t.Fatal(err)
		}
		s, err := game.Replay(board, line)
		if err != nil {
			t.Fatal(err)
		}
		for number := range uint64(10) {
			if got := board.FormatAction(m.choose(s, 0.5, testRNG(number))); !strings.Contains(want, got) {
				t.Errorf("after %s it plays %s; want one of %s", moves, got, want)
			}
		}
		if _, scattered := scatter(6, testRNG(1)); len(scattered) != 6 || apart(int(scattered[0]), 7*15+7) > 3 {
			t.Errorf("scattered %s", board.FormatMoves(scattered))
		}
	}
}

func testRNG(number uint64) *rand.Rand { return random.New(1, random.Test, number) }

func TestFails(t *testing.T) {
	if err := run(t.Context(), small(1, 0), t.TempDir(), []string{"exam"}); err == nil || !strings.Contains(err.Error(), "-workers is 0") {
		t.Errorf("no workers: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, small(1, 1), t.TempDir(), []string{"exam", "book"}); err == nil || !strings.Contains(err.Error(), `"book"`) {
		t.Errorf("error %v; want one with the name, before anything is drawn", err)
	}
	dir := t.TempDir()
	if err := run(ctx, small(1, 2), dir, []string{"exam"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want %v", err, context.Canceled)
	}
	if _, err := os.Stat(filepath.Join(dir, "exam.txt.gz")); err == nil {
		t.Error("it was stopped, but there is a result")
	}
}
