package solver

import (
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
)

// Below a root, moves that one of its symmetries maps onto each other lead to the same key.
func TestLineFoldsImages(t *testing.T) {
	g := mnk.TicTacToe()
	for _, test := range []struct {
		moves string
		keys  int
	}{
		{"", 3},         // corner, edge, centre
		{"b2", 2},       // corner, edge
		{"a1", 5},       // only the diagonal through the corner is left
		{"a1 b1", 7},    // no symmetry
		{"a1 c3 b2", 3}, // two reflections: of the 6 cells, two corners and pairs of edges
	} {
		if got := countKeys(t, g, test.moves); got != test.keys {
			t.Errorf("%q: %d different moves; want %d", test.moves, got, test.keys)
		}
	}
	if got := countKeys(t, connect4.Standard(), "44"); got != 4 {
		t.Errorf("Connect Four: %d different moves; want 4", got)
	}
}

// A line takes memory only for the plies that it reaches.
func TestLineGrows(t *testing.T) {
	g := mnk.Gomoku()
	s := newNegamax(g, Config{TableEntries: 1})
	ply := s.line.start(gametest.Replay(t, g, "h8 i9"))
	s.searchRoot(ply, 1, rootMoves(s.line.frames[ply].images[0]))
	for i, f := range s.line.frames {
		if made := f.moves != nil; made != (i == ply || i == ply+1) {
			t.Errorf("ply %d has memory: %t", i, made)
		}
	}
}

func countKeys[S game.State[S]](t *testing.T, g game.Game[S], text string) int {
	s := gametest.Replay(t, g, text)
	l := newLine(g)
	ply := l.start(s)
	l.reach(ply + 1)
	keys := map[game.Key]bool{}
	for _, a := range s.Legal(nil) {
		l.play(ply, a)
		key, image := l.key(ply + 1)
		if l.frames[ply+1].images[image].Key() != key {
			t.Errorf("%q: image %d has not the key", text, image)
		}
		keys[key] = true
	}
	return len(keys)
}
