package connect4

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
)

// scoreLines is a book as text: the lines that ReadScores reads.
func scoreLines(t *testing.T, book *Book, g *connect4.Game) string {
	t.Helper()
	var text strings.Builder
	seen := map[uint64]bool{}
	for ply := range book.Depth() + 1 {
		everyOpening(g, ply, func(s connect4.State, moves []game.Action) {
			key := s.Key()
			folded := book.board.folded(book.board.position(key[0], key[1]))
			if seen[folded] {
				return
			}
			seen[folded] = true
			score, ok := book.Lookup(s)
			if !ok {
				t.Fatalf("%s is missing", g.FormatMoves(moves))
			}
			fmt.Fprintf(&text, "%s %d\n", g.FormatMoves(moves), score)
		})
	}
	return text.String()
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

func TestReadScores(t *testing.T) {
	g := board4(t, 5, 4)
	want := build(t, g, BuildOptions{Depth: 5, Solver: small})
	got, err := ReadScores(strings.NewReader(scoreLines(t, want, g)), g)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("error %v, or another book than the lines are from", err)
	}
}

// TestConversion makes the file of the opening book again of its scores as text.
func TestConversion(t *testing.T) {
	g := connect4.Standard()
	again, err := ReadScores(strings.NewReader(scoreLines(t, OpeningBook(g), g)), g)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	again.WriteTo(&got)
	z, err := gzip.NewReader(bytes.NewReader(openingBook))
	if err != nil {
		t.Fatal(err)
	}
	want, err := io.ReadAll(z)
	if err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("error %v, or the file has other bytes than a book of its scores", err)
	}
}

func TestBadScores(t *testing.T) {
	g := board4(t, 4, 4)
	for _, test := range []struct{ lines, message string }{
		{" 0\n1 0\n2 one\n", `line 3: "2 one" does not end in a space and a score from -8 to 8`},
		{" 9\n", "line 1:"},
		{" -9\n", "line 1:"},
		{"1 8\n", "a position of ply 0 is missing"}, // the largest score, and the smallest
		{"1 -8\n", "a position of ply 0 is missing"},
		{" 0\n5 0\n", "line 2:"},
		{" 0\n11111 0\n", "line 2: move 5 (1) is illegal"},
		{" 0\n1212121 0\n", "line 2: the game is over"},
		{" 0\n1 0\n", "a position of ply 1 is missing"},
		{"12121 0\n", "a position of ply 0 is missing"},
		{" 1\n1 0\n2 0\n", "a position of ply 0 has the score 1, its best move 0"},
	} {
		if _, err := ReadScores(strings.NewReader(test.lines), g); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%q: error %v; want one with %q", test.lines, err, test.message)
		}
	}
}
