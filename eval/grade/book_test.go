package grade_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
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

func bookExam(t *testing.T, n int) grade.Set {
	t.Helper()
	s := fourSolver(t, connect4solver.OpeningBook(four))
	set, err := grade.BookExam(t.Context(), four, s, n)
	if err != nil || len(set.Problems) != n || s.Nodes() != 0 {
		t.Fatalf("%d positions after %d searched, %v; want %d without a search", len(set.Problems), s.Nodes(), err, n)
	}
	return set
}

// All positions are hard, by the rules and the results of their moves, and no two are images.
func TestBookExam(t *testing.T) {
	set := bookExam(t, 12_583) // all there are
	if !reflect.DeepEqual(bookExam(t, 100).Problems, set.Problems[:100]) {
		t.Error("a small exam is not the beginning of a large one")
	}
	seen, mirror := map[game.Key]bool{}, four.Symmetries()[1].Actions
	var plies [8]int
	for _, p := range set.Problems {
		plies[len(p.Moves)]++
		s, image := four.Start(), four.Start()
		for _, a := range p.Moves {
			s, image = s.Play(a), image.Play(mirror[a])
		}
		line := four.FormatMoves(p.Moves)
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
				t.Errorf("%s: move %s ends the game within two plies", line, four.FormatAction(a))
			}
		}
		if best < 0 || kept > 2 || kept == len(p.Scores) {
			t.Errorf("%s has the scores %d", line, p.Scores)
		}
	}
	if plies != [8]int{4: 264, 948, 2873, 8498} {
		t.Errorf("%d positions by ply", plies)
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
	for _, p := range bookExam(t, fulltest.Pick(3, 80)).Problems {
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
				t.Errorf("%s, move %d: result %d, error %v; want %d", four.FormatMoves(p.Moves), a, -sign, err, p.Scores[i].Sign())
			}
		}
	}
}

func TestBookExamFails(t *testing.T) {
	book := connect4solver.OpeningBook(four)
	_, err := grade.BookExam(t.Context(), four, fourSolver(t, book), 12_584)
	if err == nil || err.Error() != "the book exam of connect4 has 12583 positions, not 12584" {
		t.Errorf("too many: %v", err)
	}
	if _, err = grade.BookExam(t.Context(), four, fourSolver(t, nil), 1); err == nil || !strings.Contains(err.Error(), "no opening book up to ply 8") {
		t.Errorf("without a book: %v", err)
	}
	g := mnk.TicTacToe()
	if _, err = grade.BookExam(t.Context(), g, newOracle(g), 1); err == nil || !strings.Contains(err.Error(), "no opening book") {
		t.Errorf("another game: %v", err)
	}
}
