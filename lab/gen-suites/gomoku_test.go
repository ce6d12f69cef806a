package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/forced"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/internal/random"
)

// The suites in the program are of this command: what it draws first is there.
func TestSuitesAreOfThisCommand(t *testing.T) {
	exam, player := lines(t, known(t, "gomoku.exam")), newPlayer(1)
	for number := range fulltest.Pick(4, 20) {
		problems, err := player.play(t.Context(), number)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range []string{win, defend} {
			p, ok := pick(problems, task)
			if !ok {
				continue
			}
			if task == win {
				_, s := parse(t, game.FormatMoves(board.Start(), p.Moves))
				p.Right = rightWins(player.prover, s)
			}
			s := section(grade.Halves[number%2], p.cell(), []grade.Problem{p.Problem})
			want := fmt.Sprint(s.Half, s.Parts, game.FormatMoves(board.Start(), p.Moves), " | ", game.FormatMoves(board.Start(), p.Right))
			if !slices.Contains(exam, want) {
				t.Errorf("game %d: the exam lacks %s", number, want)
			}
		}
	}
	referee := newReferee(1)
	for number := 0; ; number += 2 {
		if first, err := referee.draw(t.Context(), number); first != nil || err != nil {
			if want := lines(t, known(t, "gomoku.openings"))[0]; !strings.Contains(want, "dev[]"+game.FormatMoves(board.Start(), first)+" |") {
				t.Errorf("the first opening is %s; want %s", game.FormatMoves(board.Start(), first), want)
			}
			break
		}
	}
}

// parse returns moves and the position after them.
func parse(t *testing.T, text string) ([]game.Action, mnk.State) {
	t.Helper()
	moves, _, err := game.ParseMoves(board.Start(), text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := game.Replay(board, moves)
	if err != nil {
		t.Fatal(err)
	}
	return moves, s
}

// Positions by hand: an open three to win with and to stop, and what is no position of the exam.
func TestSurvey(t *testing.T) {
	prover := forced.New[mnk.State]()
	for moves, want := range map[string]string{
		"h8 a1 i8 a3 j8 o15":         "win 3: g8 k8",
		"h8 a1 i8 a3 j8":             "defend 3: g8 k8",
		"h8 a1 i8 a3":                "", // nothing is threatened
		"h8 a1 i8 a3 j8 a5 k8 o15":   "", // five at once
		"h8 a1 i8 a3 j8 a5 k8":       "", // lost
		"h8 a1 i8 a3 j8 a5 k8 l8":    "", // one move completes five
		"h8 a1 i8 a3 j8 a5 k8 l8 g8": "", // over
	} {
		line, s := parse(t, moves)
		p, ok := survey(prover, s, line)
		if ok && p.task == win {
			p.Right = rightWins(prover, s)
		}
		if got := fmt.Sprintf("%s %d: %s", p.task, p.plies, game.FormatMoves(board.Start(), p.Right)); ok != (want != "") || ok && got != want {
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
		_, s := parse(t, moves)
		for number := range uint64(10) {
			if got := board.Start().Format(m.choose(s, 0.5, testRNG(number))); !strings.Contains(want, got) {
				t.Errorf("after %s it plays %s; want one of %s", moves, got, want)
			}
		}
		if _, scattered := scatter(6, testRNG(1)); len(scattered) != 6 || kingsMoves(int(scattered[0]), 7*15+7) > 3 {
			t.Errorf("scattered %s", game.FormatMoves(board.Start(), scattered))
		}
	}
}

func testRNG(number uint64) *rand.Rand { return random.New(1, random.Test, number) }
