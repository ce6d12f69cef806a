package othello

import (
	"testing"

	"tengen/game"
	"tengen/game/gametest"
)

func TestConformance(t *testing.T) { gametest.Run(t, &Game{}) }

// A side that cannot turn anything over has one legal move, the pass, which has no cell. The other side is next.
func TestPass(t *testing.T) {
	s := gametest.Replay(t, &Game{}, "e3 c2 b1 c1 b2 a3 b5 a1")
	if legal := s.Legal(nil); len(legal) != 1 || legal[0] != pass || s.Target(pass).Word != "pass" {
		t.Fatalf("legal moves %v", legal)
	}
	if next := s.Play(pass); next.ToMove() != game.Second || len(next.Legal(nil)) == 0 {
		t.Errorf("after the pass %+v", next)
	}
}

// The numbers of move sequences before the first pass. They equal the figures for 8x8, since three stones do not reach
// the edge.
func TestPerft(t *testing.T) {
	for depth, want := range []uint64{1, 4, 12, 56} {
		if got := game.Perft((&Game{}).Start(), depth); got != want {
			t.Errorf("%d sequences of %d moves; want %d", got, depth, want)
		}
	}
}
