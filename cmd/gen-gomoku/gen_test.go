package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/eval/suites"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/internal/random"
)

// few is how many positions of each short cell are drawn.
var few = fulltest.Pick(2, 3)

// small draws a few positions of each short cell and an opening, for each half.
func small(seed uint64, workers int) config {
	return config{seed: seed, workers: workers, openings: 1, sizes: map[string]int{"short": few}}
}

// generate returns the lines of both files, without headings.
func generate(t *testing.T, cfg config) (problems, openings []string) {
	t.Helper()
	dir := t.TempDir()
	if err := run(t.Context(), cfg, dir, []string{"exam", "openings"}); err != nil {
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

// lines are the problems of a suite, each with its half, its parts and its right moves.
func lines(t *testing.T, file io.Reader) (all []string) {
	t.Helper()
	suite, err := grade.ReadSuite(file, board)
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range suite.Sections {
		for _, p := range section.Problems {
			all = append(all, fmt.Sprint(section.Half, section.Parts, board.FormatMoves(p.Moves), " | ", board.FormatMoves(p.Right)))
		}
	}
	return all
}

// known are the problems of a suite that comes with the program.
func known(t *testing.T, name string) []string {
	t.Helper()
	file, err := suites.Files.Open("gomoku." + name + ".txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return lines(t, file)
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

// The suites in the program are of this command: what it draws first is there.
func TestSuitesAreOfThisCommand(t *testing.T) {
	exam, player := known(t, "exam"), newPlayer(1)
	for number := range fulltest.Pick(4, 20) {
		problems := player.play(number)
		for _, task := range []string{win, defend} {
			p, ok := pick(problems, task)
			if !ok {
				continue
			}
			if task == win {
				p.right = player.examiner.rightWins(position(t, p.moves))
			}
			s := section(grade.Halves[number%2], p.cell(), []problem{p})
			want := fmt.Sprint(s.Half, s.Parts, board.FormatMoves(p.moves), " | ", board.FormatMoves(p.right))
			if !slices.Contains(exam, want) {
				t.Errorf("game %d: the exam lacks %s", number, want)
			}
		}
	}
	referee := newReferee(1)
	for number := 0; ; number += 2 {
		if first := referee.draw(number); first != nil {
			if want := known(t, "openings")[0]; !strings.Contains(want, "dev[]"+board.FormatMoves(first)+" |") {
				t.Errorf("the first opening is %s; want %s", board.FormatMoves(first), want)
			}
			break
		}
	}
}

// position is the position after moves.
func position(t *testing.T, moves []game.Action) mnk.State {
	t.Helper()
	s, err := game.Replay(board, moves)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Positions by hand: an open three to win with and to stop, and what is no position of the exam.
func TestSurvey(t *testing.T) {
	e := newExaminer()
	for moves, want := range map[string]string{
		"h8 a1 i8 a3 j8 o15":         "win 3: g8 k8",
		"h8 a1 i8 a3 j8":             "defend 3: g8 k8",
		"h8 a1 i8 a3":                "", // nothing is threatened
		"h8 a1 i8 a3 j8 a5 k8 o15":   "", // five at once
		"h8 a1 i8 a3 j8 a5 k8":       "", // lost
		"h8 a1 i8 a3 j8 a5 k8 l8":    "", // one move completes five
		"h8 a1 i8 a3 j8 a5 k8 l8 g8": "", // over
	} {
		line, err := board.ParseMoves(moves)
		if err != nil {
			t.Fatal(err)
		}
		s := position(t, line)
		p, ok := e.survey(s, line)
		if ok && p.task == win {
			p.right = e.rightWins(s)
		}
		if got := fmt.Sprintf("%s %d: %s", p.task, p.plies, board.FormatMoves(p.right)); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s, %t; want %q", moves, got, ok, want)
		}
	}
}

func TestDepthOf(t *testing.T) {
	for plies, want := range map[int]string{3: "short", 5: "short", 7: "medium", 9: "medium", 11: "long", 31: "long"} {
		if got := depthOf(plies); got != want {
			t.Errorf("%d plies are %v; want %v", plies, got, want)
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
		s := position(t, line)
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
	if _, err := os.Stat(filepath.Join(dir, "gomoku.exam.txt.gz")); err == nil {
		t.Error("it was stopped, but there is a result")
	}
}
