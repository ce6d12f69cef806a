package grade_test

import (
	"reflect"
	"slices"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/fulltest"
	connect4solver "tengen/solver/connect4"
)

var four = connect4.Standard()

func fourSolver(t *testing.T, book *connect4solver.Book) *connect4solver.Solver {
	t.Helper()
	s, err := connect4solver.New(four, connect4solver.Options{TableMegabytes: 16, Threads: 1, Book: book})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func bookExam(t *testing.T, n int) []grade.Problem {
	t.Helper()
	s := fourSolver(t, connect4solver.OpeningBook(four))
	set, err := grade.BookExam(t.Context(), four, s, n)
	if err != nil || len(set.Problems) != n || s.Nodes() != 0 {
		t.Fatalf("%d positions after %d searched, %v; want %d without a search", len(set.Problems), s.Nodes(), err, n)
	}
	return set.Problems
}

// All positions are hard, by the rules and the results of their moves, and no two are images.
func TestBookExam(t *testing.T) {
	problems := bookExam(t, 12_583) // all there are
	if !reflect.DeepEqual(bookExam(t, 100), problems[:100]) {
		t.Error("a small exam is not the beginning of a large one")
	}
	seen, mirror := map[game.Key]bool{}, four.Symmetries()[1].Actions
	for _, p := range problems {
		s, image := four.Start(), four.Start()
		for _, a := range p.Moves {
			s, image = s.Play(a), image.Play(mirror[a])
		}
		line := game.FormatMoves(four.Start(), p.Moves)
		if seen[s.Key()] || seen[image.Key()] {
			t.Errorf("%s is there twice", line)
		}
		seen[s.Key()] = true
		kept, best := 0, slices.Max(p.Scores).Sign()
		for i, a := range s.Legal(nil) {
			if p.Scores[i].Sign() == best {
				kept++
			}
			if endsSoon(s.Play(a)) {
				t.Errorf("%s: move %s ends the game within two plies", line, four.Start().Format(a))
			}
		}
		if best < 0 || kept > 2 || kept == len(p.Scores) || len(p.Moves) < 4 || len(p.Moves) > 7 {
			t.Errorf("%s has the scores %d", line, p.Scores)
		}
	}
}

// endsSoon reports whether the game is over or the side to move can win at once.
func endsSoon(s connect4.State) bool {
	if _, over := s.Outcome(); over {
		return true
	}
	return slices.ContainsFunc(s.Legal(nil), func(a game.Action) bool { z, _ := s.Play(a).Outcome(); return z < 0 })
}

// A search without a book finds the results of the moves of some positions.
func TestBookExamIsExact(t *testing.T) {
	s := fourSolver(t, nil)
	for _, p := range bookExam(t, fulltest.Pick(3, 80)) {
		if len(p.Moves) < 7 {
			continue // slow to search
		}
		position, err := game.Replay(four, p.Moves)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range position.Legal(nil) {
			sign, err := s.Sign(t.Context(), position.Play(a))
			if err != nil || -sign != p.Scores[i].Sign() {
				t.Errorf("%s, move %d: result %d, %v; want %d", game.FormatMoves(four.Start(), p.Moves), a, -sign, err, p.Scores[i].Sign())
			}
		}
	}
}
