package connect4

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/solver"
)

func TestOpeningBookOfOtherBoards(t *testing.T) {
	g := connect4.Standard()
	if book := OpeningBook(g); book == nil || book != OpeningBook(connect4.Standard()) {
		t.Error("the standard board has no book that all share")
	}
	for _, other := range []*connect4.Game{board4(t, 6, 7), board4(t, 7, 7)} {
		if OpeningBook(other) != nil {
			t.Errorf("%s has a book", other.Name())
		}
	}
}

// everyOpening calls f once for each unfinished position of the given ply, with moves that lead there.
func everyOpening(g *connect4.Game, ply int, f func(s connect4.State, moves []game.Action)) {
	seen := map[game.Key]bool{}
	var visit func(s connect4.State, moves []game.Action)
	visit = func(s connect4.State, moves []game.Action) {
		if _, over := s.Outcome(); over || seen[s.Key()] {
			return
		}
		seen[s.Key()] = true
		if len(moves) == ply {
			f(s, moves)
			return
		}
		for _, a := range s.Legal(nil) {
			visit(s.Play(a), append(moves, a))
		}
	}
	visit(g.Start(), make([]game.Action, 0, ply))
}

// lookUp finds a position in a book by the rules' bitboards.
func lookUp(book *Book, s connect4.State) (score solver.Score, ok bool) {
	key := s.Key()
	return book.lookup(book.board.position(key[0], key[1]))
}

// TestOpeningBook goes through all positions up to ply 8 by the rules. Up to ply 7 each is worth what its best move is, and
// the solver knows all its moves and the best without a search.
func TestOpeningBook(t *testing.T) {
	g := connect4.Standard()
	book := OpeningBook(g)
	s := solverWith(t, g, Options{TableMegabytes: 1, Threads: 1, Book: book})
	positions := 0
	for ply := range 9 {
		everyOpening(g, ply, func(state connect4.State, moves []game.Action) {
			positions++
			score, ok := lookUp(book, state)
			if !ok {
				t.Fatalf("%s is missing", game.FormatMoves(g.Start(), moves))
			}
			if ply == 8 {
				return
			}
			legal := state.Legal(nil)
			scores, err := solver.Moves(t.Context(), s, state, legal)
			if err != nil || score != slices.Max(scores) {
				t.Errorf("%s: score %d, its moves' %d, error %v", game.FormatMoves(g.Start(), moves), score, scores, err)
			}
			best, err := s.Best(t.Context(), state)
			for i, a := range legal {
				if slices.Contains(best, a) != (scores[i] == score) || err != nil {
					t.Errorf("%s: best moves %v, error %v; the scores are %d", game.FormatMoves(g.Start(), moves), best, err, scores)
				}
			}
		})
	}
	// Distinct positions by ply, the finished ones left out (Tromp, "John's Connect Four Playground").
	if want := 1 + 7 + 49 + 238 + 1120 + 4263 + 16422 + 54859 - 728 + 184275 - 1892; positions != want {
		t.Errorf("%d positions; want %d", positions, want)
	}
	if book.Len() != 129_498 {
		t.Errorf("the book has %d positions; want 129,498, one for each pair of mirror images", book.Len())
	}
	if s.Nodes() != 0 {
		t.Errorf("%d positions were searched", s.Nodes())
	}
}

// TestOpeningBookIsRight searches for the scores of some positions of the last ply, from which all others follow.
func TestOpeningBookIsRight(t *testing.T) {
	sample := fulltest.Pick(1, 5)
	if *acceptance {
		sample = 500
	}
	book := OpeningBook(connect4.Standard())
	last := &book.layers[book.Depth()]
	s := solverWith(t, connect4.Standard(), Options{TableMegabytes: 16, Threads: 1})
	rng := random.New(4, random.Test)
	for range sample {
		i := rng.IntN(len(last.keys))
		score, _ := s.workers[0].solve(t.Context(), book.board.unkey(last.keys[i]), -boundOffset, boundOffset)
		if score != int(last.scores[i]) {
			t.Errorf("position %#x: the book has the score %d, a search finds %d", last.keys[i], last.scores[i], score)
		}
	}
}

func TestEmptyBoardByTheBook(t *testing.T) {
	g := connect4.Standard()
	s := solverWith(t, g, Options{TableMegabytes: 1, Threads: 1, Book: OpeningBook(g)})
	scores, err := solver.Moves(t.Context(), s, g.Start(), g.Start().Legal(nil))
	if want := []solver.Score{-2, -1, 0, 1, 0, -1, -2}; !slices.Equal(scores, want) || err != nil {
		t.Errorf("columns: scores %d, error %v; want %d", scores, err, want)
	}
}

func BenchmarkReadOpeningBook(b *testing.B) {
	for b.Loop() {
		if _, err := unpackBook(openingBook); err != nil {
			b.Fatal(err)
		}
	}
}
