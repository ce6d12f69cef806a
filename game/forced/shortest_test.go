package forced_test

import (
	"testing"

	"tengen/game"
	"tengen/game/forced"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/internal/random"
)

// Shortest is what plain rules find, and tells a chain from other wins. An examination finds a chain exactly where there is one,
// and none that is shorter.
func TestShortest(t *testing.T) {
	for _, numbers := range []string{"6,6,4", "6,5,4,exact", "6,5,4,caro", "6,5,4,exact,caro"} {
		t.Run(numbers, func(t *testing.T) { checkShortest(t, newMNK(t, numbers)) })
	}
	t.Run("7,4,3 upright", func(t *testing.T) { checkShortest(t, newConnect4(t, "7,4,3")) })
}

func checkShortest[S game.State[S]](t *testing.T, g game.Game[S]) {
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
		if got := p.Shortest(s, 10_000); got != want {
			t.Errorf("%q: a chain of %d plies; want %d", game.FormatMoves(g.Start(), moves), got, want)
		}
		found := p.Examine(s, 10_000)
		if found.Plies < want || (found.Plies == 0) != (want == 0) || found.Plies > 0 && found.Result != game.Win {
			t.Errorf("%q: examined a %v in %d plies; the shortest chain has %d", game.FormatMoves(g.Start(), moves), found.Result, found.Plies, want)
		}
	}
	if lengths[0] == 0 || lengths[1] == 0 || lengths[3] == 0 || lengths[5] == 0 {
		t.Errorf("lengths %v: not enough was tested", lengths)
	}
}

// Too few nodes find nothing longer than they reach, and a search for the shortest leaves others as they were.
func TestShortestLimit(t *testing.T) {
	g := mnk.Gomoku()
	s := drawn(t, g)("....o/oxxx/..oo/...ox/...ox/.....xx")
	p := forced.New[mnk.State]()
	for nodes, want := range map[int]int{0: 0, 1: 0, 100: 7} {
		if got := p.Shortest(s, nodes); got != want {
			t.Errorf("%d nodes find a chain of %d plies; want %d", nodes, got, want)
		}
	}
	if got := p.Examine(s, 100); got.Result != game.Win || got.Plies != 7 {
		t.Errorf("after that, an examination finds a %v in %d plies; want a win in 7", got.Result, got.Plies)
	}
	finished := drawn(t, g)("ooooo/xxxx")
	if got := p.Shortest(finished, 100); got != 0 {
		t.Errorf("a chain of %d plies after the end", got)
	}
}
