package forced_test

import (
	"testing"

	"tengen/game"
	"tengen/game/forced"
	"tengen/internal/fulltest"
	"tengen/internal/random"
)

// An examination finds a chain exactly where plain rules find one, and none that is shorter than their shortest.
func TestChains(t *testing.T) {
	for _, numbers := range []string{"6,6,4", "6,5,4,exact", "6,5,4,caro", "6,5,4,exact,caro"} {
		t.Run(numbers, func(t *testing.T) { checkChains(t, newMNK(t, numbers)) })
	}
	t.Run("7,4,3 upright", func(t *testing.T) { checkChains(t, newConnect4(t, "7,4,3")) })
}

func checkChains[S game.State[S]](t *testing.T, g game.Game[S]) {
	p := forced.New[S]()
	lengths := map[int]int{}
	for seed := range fulltest.Pick[uint64](150, 300) {
		rng := random.New(seed, random.Test, 6)
		s, moves := carefulPosition(g, rng.IntN(g.MaxPlies()*2/3), rng)
		if _, over := s.Outcome(); over {
			continue
		}
		want := diagramOf(g, s).shortest(sideOf(s))
		lengths[want]++
		found := p.Examine(s, 10_000)
		if found.Plies < want || (found.Plies == 0) != (want == 0) || found.Plies > 0 && found.Result != game.Win {
			t.Errorf("%q: examined a %v in %d plies; the shortest chain has %d", game.FormatMoves(g.Start(), moves), found.Result, found.Plies, want)
		}
	}
	if lengths[0] == 0 || lengths[1] == 0 || lengths[3] == 0 || lengths[5] == 0 {
		t.Errorf("lengths %v: not enough was tested", lengths)
	}
}
