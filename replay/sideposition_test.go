package replay

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
)

// sidesOf is a configuration of windows that learn perfect play from ply 2 of tic-tac-toe on, and that share of it beside the games.
func sidesOf(share float64) Config {
	return Config{Window: 10_000, MinWindow: 10_000, WindowShare: 1, ExactPlies: 7, ExactPolicy: true, SidePositions: share}
}

// randomWindow holds random games.
func randomWindow(t *testing.T, cfg Config) *Window[mnk.State] {
	w := NewWindow(mnk.TicTacToe(), cfg, perfectTicTacToe)
	rng := rand.New(rand.NewPCG(5, 6))
	for number := range uint64(100) {
		add(t, w, randomGame(mnk.TicTacToe(), number, int(number%3), rng))
	}
	return w
}

// ongoing holds the positions of tic-tac-toe that are not over by the planes of their stones.
func ongoing() map[[18]float32]mnk.State {
	all := make(map[[18]float32]mnk.State)
	planes := make([]float32, 36)
	var visit func(s mnk.State)
	visit = func(s mnk.State) {
		_, over := s.Outcome()
		s.Encode(planes)
		if _, seen := all[[18]float32(planes)]; over || seen {
			return
		}
		all[[18]float32(planes)] = s
		for _, a := range s.Legal(nil) {
			visit(s.Play(a))
		}
	}
	visit(mnk.TicTacToe().Start())
	return all
}

// A sample beside a game has what its position is worth, its legal moves, and nothing else to learn. Such a sample takes the place
// of others as often as the share says, wherever a move continues.
func TestSidePositions(t *testing.T) {
	const rows = 4000
	all := ongoing()
	for _, share := range []float64{0, 0.3, 1} {
		b := auxiliaryBatch[mnk.State](mnk.TicTacToe(), rows)
		randomWindow(t, sidesOf(share)).Sample(rand.New(rand.NewPCG(7, 8)), b)
		beside, fromGames := 0, 0
		for i := range rows {
			s, ok := all[[18]float32(row(b.Planes, i, 36))]
			if !ok {
				t.Fatalf("sample %d is no position that goes on", i)
			}
			if s.Ply() < 2 {
				continue
			}
			if b.Z[i] != float32(minimax(s)) {
				t.Errorf("share %v: teaches %v, perfect play says %d, in\n%v", share, b.Z[i], minimax(s), s)
			}
			for a, legal := range row(b.Legal, i, 9) {
				if slices.Contains(s.Legal(nil), game.Action(a)) != (legal == 1) {
					t.Errorf("share %v: move %d is legal: %v, in\n%v", share, a, legal, s)
				}
			}
			switch {
			case sum(row(b.Targets[occupancy], i, 27)) == 0: // every position of these games has such a target
				beside++
				if sum(row(b.Pi, i, 9))+sum(row(b.Targets["reply"], i, 9)) != 0 {
					t.Errorf("share %v: sample %d, beside a game, has a policy", share, i)
				}
			case goesOn(s):
				fromGames++
			}
		}
		if got := float64(beside) / float64(beside+fromGames); got < share-0.05 || got > share+0.05 {
			t.Errorf("%v of the samples are beside the games, want %v", got, share)
		}
	}
}

// goesOn reports whether there is a move that does not end the game.
func goesOn(s mnk.State) bool {
	return slices.ContainsFunc(s.Legal(nil), func(a game.Action) bool {
		_, over := s.Play(a).Outcome()
		return !over
	})
}
