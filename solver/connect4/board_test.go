package connect4

import (
	"testing"

	"tengen/game/connect4"
	"tengen/internal/random"
)

// everyPosition calls f for positions of random games on boards of many shapes, unfinished ones only.
func everyPosition(t *testing.T, f func(b *board, s connect4.State, p position)) {
	t.Helper()
	for _, size := range []struct{ columns, rows int }{{4, 4}, {5, 4}, {7, 6}, {8, 7}, {9, 6}, {4, 15}, {16, 3}, {32, 1}} {
		g := board4(t, size.columns, size.rows)
		b := newBoard(g.Board())
		rng := random.New(2, random.Test, uint64(size.columns), uint64(size.rows))
		for range 20 {
			s := g.Start()
			for _, over := s.Outcome(); !over; _, over = s.Outcome() {
				key := s.Key()
				f(b, s, b.position(key[0], key[1]))
				legal := s.Legal(nil)
				s = s.Play(legal[rng.IntN(len(legal))])
			}
		}
	}
}

// TestThreats compares what the bitboards say of threats, winning and safe moves with the rules.
func TestThreats(t *testing.T) {
	everyPosition(t, func(b *board, s connect4.State, p position) {
		wins, safe := false, uint64(0)
		for _, a := range s.Legal(nil) {
			next := s.Play(a)
			if z, _ := next.Outcome(); z < 0 {
				wins = true
			}
			if !canWin(next) {
				safe |= b.playable(p.mask) & b.column(int(a))
			}
		}
		if b.wins(p) != wins {
			t.Fatalf("%s %v: winning move %t; want %t", s.Game().Name(), s.Key(), b.wins(p), wins)
		}
		if !wins && b.safe(p) != safe {
			t.Fatalf("%s %v: safe moves %#x; want %#x", s.Game().Name(), s.Key(), b.safe(p), safe)
		}
	})
}

func canWin(s connect4.State) bool {
	for _, a := range s.Legal(nil) {
		if z, _ := s.Play(a).Outcome(); z < 0 {
			return true
		}
	}
	return false
}

func TestKeys(t *testing.T) {
	everyPosition(t, func(b *board, s connect4.State, p position) {
		if got := b.unkey(p.key()); got != p {
			t.Fatalf("%s: %+v became %+v by way of its key", s.Game().Name(), p, got)
		}
		mirror := b.unkey(b.mirrored(p))
		if b.folded(mirror) != b.folded(p) || mirror.ply() != p.ply() || b.mirrored(mirror) != p.key() {
			t.Fatalf("%s: %+v has the mirror image %+v", s.Game().Name(), p, mirror)
		}
	})
}
