package forced_test

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/forced"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/internal/random"
)

// plain is a position that is no game.Alignment.
type plain struct{ game.State[plain] }

func TestOtherGamesHaveNoProver(t *testing.T) {
	if forced.New[plain]() != nil {
		t.Error("a prover for a game without lines")
	}
}

// What is found depends on the position and the limit alone: a prover that has seen other positions, limits and boards finds
// what a new one does.
func TestFindingsDoNotDependOnThePast(t *testing.T) {
	t.Run("connect four", func(t *testing.T) {
		checkPast(t, connect4.Standard(), newConnect4(t, "5,4,3").Start())
	})
	t.Run("gomoku", func(t *testing.T) {
		checkPast(t, mnk.Gomoku(), newMNK(t, "9,8,4").Start())
	})
	t.Run("caro", func(t *testing.T) {
		checkPast(t, newMNK(t, "15,15,5,caro"), newMNK(t, "9,8,4,exact").Start())
	})
}

func checkPast[S game.State[S]](t *testing.T, g game.Game[S], other S) {
	old := forced.New[S]()
	for seed := range uint64(200) {
		rng := random.New(seed, random.Test, 2)
		s, moves := carefulPosition(g, rng.IntN(g.MaxPlies()), rng)
		nodes := []int{0, 5, 100, 3000}[rng.IntN(4)]
		if seed%8 == 0 {
			old.Examine(other, 10)
		}
		fresh := forced.New[S]()
		got, want := old.Examine(s, nodes), fresh.Examine(s, nodes)
		if got.Result != want.Result || !slices.Equal(got.Moves, want.Moves) {
			t.Fatalf("%q with %d nodes: %v, %v; a new prover has %v, %v", game.FormatMoves(g.Start(), moves), nodes, got.Result, got.Moves, want.Result, want.Moves)
		}
	}
}

// A limit is kept, and more nodes never prove less.
func TestMoreNodesProveMore(t *testing.T) {
	g := mnk.Gomoku()
	p := forced.New[mnk.State]()
	for seed := range uint64(40) {
		states := closeGame(g, random.New(seed, random.Test, 3))
		s := states[len(states)*3/4]
		least := forced.Finding{Moves: make([]game.Result, g.Actions())}
		for _, nodes := range []int{0, 1, 10, 100, 1000, 10_000} {
			found := p.Examine(s, nodes)
			if least.Result != game.Unknown && found.Result != least.Result {
				t.Fatalf("%x: a %v with %d nodes, a %v with fewer", s.Key(), found.Result, nodes, least.Result)
			}
			for a, r := range least.Moves {
				if r == game.Loss && found.Moves[a] != game.Loss && found.Result != game.Win {
					t.Fatalf("%x: move %s loses, but with %d nodes it is a %v", s.Key(), g.Start().Format(game.Action(a)), nodes, found.Moves[a])
				}
			}
			least = forced.Finding{Result: found.Result, Moves: slices.Clone(found.Moves)}
		}
	}
}

func TestFinishedGameProvesNothing(t *testing.T) {
	g := connect4.Standard()
	p := forced.New[connect4.State]()
	for _, moves := range []string{"1212121", "121212"} {
		s := gametest.Replay(t, g, moves)
		_, over := s.Outcome()
		found := p.Examine(s, 100)
		nothing := found.Result == game.Unknown && !slices.ContainsFunc(found.Moves, func(r game.Result) bool { return r != game.Unknown })
		if nothing != over {
			t.Errorf("%s, over %t: %v, %v", moves, over, found.Result, found.Moves)
		}
	}
}

// A warm prover allocates nothing.
func TestExamineDoesNotAllocate(t *testing.T) {
	t.Run("connect four", func(t *testing.T) { checkAllocations(t, connect4.Standard()) })
	t.Run("gomoku", func(t *testing.T) { checkAllocations(t, mnk.Gomoku()) })
	t.Run("caro", func(t *testing.T) { checkAllocations(t, newMNK(t, "15,15,5,exact,caro")) })
}

func checkAllocations[S game.State[S]](t *testing.T, g game.Game[S]) {
	p := forced.New[S]()
	states := closeGame(g, random.New(1, random.Test, 4))
	examine := func() {
		for _, s := range states {
			p.Examine(s, 100)
		}
	}
	if n := testing.AllocsPerRun(5, examine); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
