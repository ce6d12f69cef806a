package gomoku

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/forced"
	"tengen/internal/random"
)

// Each half has as many positions of each cell, and no position comes twice, turned or reflected, in both together. The images
// are made by playing the turned moves.
func TestExam(t *testing.T) {
	seen := map[game.Key]string{}
	for _, half := range []grade.Half{grade.Dev, grade.Final} {
		counts, order := map[Cell]int{}, []Cell{}
		for _, p := range Exam(half) {
			if counts[p.Cell()]++; counts[p.Cell()] == 1 {
				order = append(order, p.Cell())
			}
			checkNew(t, seen, p.Moves)
		}
		if !slices.Equal(order, Cells[:]) {
			t.Errorf("%v: cells %v; want %v", half, order, Cells)
		}
		for _, cell := range Cells {
			if counts[cell] != cell.Size() {
				t.Errorf("%v: %d positions of %v; want %d", half, counts[cell], cell, cell.Size())
			}
		}
		if n := len(Exam(half)); n != 1000 {
			t.Errorf("%v: %d positions; want 1000", half, n)
		}
	}
}

// checkNew fails if the position after moves, or an image of it, has been seen.
func checkNew(t *testing.T, seen map[game.Key]string, moves []game.Action) {
	t.Helper()
	line := Board.FormatMoves(moves)
	images := map[game.Key]bool{}
	for _, symmetry := range Board.Symmetries() {
		s := Board.Start()
		for _, a := range moves {
			s = s.Play(symmetry.Actions[a])
		}
		images[s.Key()] = true
	}
	for key := range images {
		if other, ok := seen[key]; ok {
			t.Errorf("%s is %s again", line, other)
		}
		seen[key] = line
	}
}

// A sample of each cell is proven again, from the moves alone, as are the moves that a new prover finds right, one by one.
func TestExamIsProven(t *testing.T) {
	e := NewExaminer()
	rng := random.New(1, random.Test)
	sample := map[Cell]int{}
	for _, i := range rng.Perm(len(Exam(grade.Final))) {
		p := Exam(grade.Final)[i]
		if sample[p.Cell()]++; sample[p.Cell()] > 10 {
			continue
		}
		again, ok := e.Survey(p.Moves)
		if !ok || again.Line() != p.Line() {
			t.Errorf("%s is surveyed as %s, %t", p.Line(), again.Line(), ok)
		}
		if p.Task == Defend {
			checkDefences(t, &p)
			continue
		}
		checkWin(t, e, &p)
	}
}

// checkDefences plays each move: where the opponent then has a forced win, it is wrong.
func checkDefences(t *testing.T, p *Problem) {
	t.Helper()
	prover := forced.New[State]()
	for _, a := range p.Legal {
		lost := prover.Examine(p.Position.Play(a), Nodes).Result == forced.Win
		if right := slices.Contains(p.Right, a); right == lost {
			t.Errorf("%s: right %t, the opponent wins %t after %s", p.Line(), right, lost, Board.FormatAction(a))
		}
	}
}

// checkWin plays the proof to its end: all the winner's moves of it are right, and so it is won.
func checkWin(t *testing.T, e *Examiner, p *Problem) {
	t.Helper()
	prover := forced.New[State]()
	_, line := prover.Prove(p.Position, Nodes)
	s := *p
	for i, a := range line {
		if i%2 == 0 && !e.Right(&s, a) {
			t.Errorf("%s: %s is wrong, move %d of the proof", p.Line(), Board.FormatAction(a), i+1)
		}
		s.Position = s.Position.Play(a)
	}
	if z, over := s.Position.Outcome(); !over || z != -1 || len(line) < p.Plies {
		t.Errorf("%s: the proof %s ends with %v, %t", p.Line(), Board.FormatMoves(line), z, over)
	}
}

// Positions by hand: an open three to win with and to stop, and what is no position of the exam.
func TestSurvey(t *testing.T) {
	e := NewExaminer()
	for moves, want := range map[string]string{
		"h8 a1 i8 a3 j8 o15":         "win 3 | h8 a1 i8 a3 j8 o15 |",
		"h8 a1 i8 a3 j8":             "defend 3 | h8 a1 i8 a3 j8 | g8 k8",
		"h8 a1 i8 a3":                "", // nothing is threatened
		"h8 a1 i8 a3 j8 a5 k8 o15":   "", // five at once
		"h8 a1 i8 a3 j8 a5 k8":       "", // lost
		"h8 a1 i8 a3 j8 a5 k8 l8":    "", // one move completes five
		"h8 a1 i8 a3 j8 a5 k8 l8 g8": "", // over
	} {
		line, err := Board.ParseMoves(moves)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := e.Survey(line)
		if got := p.Line(); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s, %t; want %q", moves, got, ok, want)
		}
	}
}

// Openings differ, leave nobody a forced win, and give no player one to defend against.
func TestOpenings(t *testing.T) {
	seen := map[game.Key]string{}
	prover := forced.New[State]()
	for _, half := range []grade.Half{grade.Dev, grade.Final} {
		if n := len(Openings(half)); n != OpeningsInHalf {
			t.Errorf("%v: %d openings; want %d", half, n, OpeningsInHalf)
		}
		for _, moves := range Openings(half) {
			checkNew(t, seen, moves)
			s, err := game.Replay(Board, moves)
			if err != nil {
				t.Fatal(err)
			}
			found := prover.Examine(s, Nodes)
			if found.Result != forced.Unknown || slices.Contains(found.Moves, forced.Loss) || len(moves) < 3 || len(moves) > 6 {
				t.Errorf("%s: %d stones, %v for the side to move", Board.FormatMoves(moves), len(moves), found.Result)
			}
		}
	}
}

func TestDepthOf(t *testing.T) {
	for plies, want := range map[int]Depth{3: Short, 5: Short, 7: Medium, 9: Medium, 11: Long, 31: Long} {
		if got := DepthOf(plies); got != want {
			t.Errorf("%d plies are %v; want %v", plies, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	for _, line := range []string{"win 3 | h8 a1 i8 a3 j8 o15 |", "defend 7 | h8 a1 i8 a3 j8 | f8 g8"} {
		p, err := Parse(line)
		if err != nil || p.Line() != line || p.Position.Ply() != len(p.Moves) {
			t.Errorf("%q: read and written %q, error %v", line, p.Line(), err)
		}
	}
}

func TestBadLines(t *testing.T) {
	for line, message := range map[string]string{
		"win 3 | h8":              "is not a task, moves and right moves",
		"draw 3 | h8 |":           `"draw" is no task`,
		"win 4 | h8 |":            `"4" is no number of plies`,
		"win 1 | h8 |":            `"1" is no number of plies`,
		"win | h8 |":              `"" is no number of plies`,
		"win 3 | h8 h8 |":         "move 2 (h8) is illegal",
		"win 3 | h8 z9 |":         "z9",
		"win 3 | h8 | h9":         "1 right moves in a position to win",
		"defend 3 | h8 |":         "0 right moves in a position to defend",
		"defend 3 | h8 | h9 h8":   "the right move h8 is illegal",
		"win 3 | " + fiveInARow:   "the game is over",
		"win 3 | h8 | h9 | h10 |": "is not a task",
	} {
		_, err := Read(strings.NewReader("win 3 | h8 |\n" + line + "\n"))
		if err == nil || !strings.Contains(err.Error(), "line 2: ") || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: error %v; want one with %q", line, err, message)
		}
	}
	if _, err := ReadOpenings(strings.NewReader("h8 i9\nh8 h8\n")); err == nil || !strings.Contains(fmt.Sprint(err), "line 2: move 2") {
		t.Errorf("error %v; want one about line 2", err)
	}
}

const fiveInARow = "a1 b1 a2 b2 a3 b3 a4 b4 a5 |"
