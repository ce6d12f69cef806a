package connect4

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/internal/random"
	"tengen/solver"
)

func TestBoardsItDoesNotTake(t *testing.T) {
	for _, numbers := range []string{"7,6,5", "3,5,4", "8,8,4", "9,7,4", "5,4,3"} {
		g, err := connect4.Parse(numbers)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(g, small); err == nil || !strings.Contains(err.Error(), g.Name()) {
			t.Errorf("New(%s): error %v; want one that names the board", numbers, err)
		}
	}
}

func TestBookOfAnotherBoard(t *testing.T) {
	book, err := BuildBook(t.Context(), board4(t, 4, 4), BuildOptions{Depth: 1, Solver: small})
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(connect4.Standard(), Options{TableMegabytes: 1, Threads: 1, Book: book})
	if want := "book is for 4 columns and 4 rows"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v; want one with %q", err, want)
	}
}

func TestOtherBoardPanics(t *testing.T) {
	defer func() {
		if message, _ := recover().(string); !strings.Contains(message, "solver of connect4 was asked for a position of connect4:4,4,4") {
			t.Errorf("panic %q", message)
		}
	}()
	solverOf(t, connect4.Standard()).Solve(t.Context(), board4(t, 4, 4).Start())
}

// A search that its context ends leaves a solver that is as good as before.
func TestCancel(t *testing.T) {
	s := solverOf(t, connect4.Standard())
	ctx := &endsAfter{Context: t.Context(), calls: 3}
	if _, err := s.Solve(ctx, connect4.Standard().Start()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want %v", err, context.Canceled)
	}
	if s.Nodes() == 0 || s.Nodes() > 10_000 {
		t.Errorf("%d nodes before it stopped", s.Nodes())
	}
	state := gametest.Replay(t, connect4.Standard(), "2252576253462244111563365343671351441")
	if score, err := s.Solve(t.Context(), state); score != -1 || err != nil {
		t.Errorf("afterwards: score %d, error %v; want -1", score, err)
	}
}

// Wherever a search was stopped, what it leaves in the table is true: the next search of the same position has the right score.
func TestStoppedSearchLeavesTheTableTrue(t *testing.T) {
	g := board4(t, 7, 5)
	state := gametest.Replay(t, g, "1726541565")
	whole := solverOf(t, g)
	want, err := whole.Solve(t.Context(), state)
	looks := 1
	for ; ; looks++ {
		s := solverOf(t, g)
		if _, err := s.Solve(&endsAfter{Context: t.Context(), calls: looks}, state); err == nil {
			break // it was done before
		}
		if got, err := s.Solve(t.Context(), state); got != want || err != nil {
			t.Errorf("stopped at look %d: score %d, error %v; want %d", looks, got, err, want)
		}
	}
	if err != nil || looks < 20 {
		t.Errorf("%d looks at the context in %d nodes, error %v: the test needs a longer search", looks, whole.Nodes(), err)
	}
}

func TestCancelThreads(t *testing.T) {
	s := solverWith(t, connect4.Standard(), Options{TableMegabytes: 1, Threads: 2})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Solve(ctx, connect4.Standard().Start()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want %v", err, context.Canceled)
	}
}

// endsAfter is a context that is cancelled once it has been asked a number of times.
type endsAfter struct {
	context.Context
	calls int
}

func (e *endsAfter) Err() error {
	if e.calls--; e.calls < 0 {
		return context.Canceled
	}
	return nil
}

func TestSolveDoesNotAllocate(t *testing.T) {
	s := solverOf(t, connect4.Standard())
	state := gametest.Replay(t, connect4.Standard(), "243335424257")
	if n := testing.AllocsPerRun(10, func() { s.Solve(context.Background(), state) }); n != 0 {
		t.Errorf("%v allocations; want none", n)
	}
}

// Best names the moves whose scores are the best, and those alone.
func TestBest(t *testing.T) {
	g := board4(t, 6, 5)
	s := solverOf(t, g)
	for seed := range uint64(200) {
		rng := random.New(seed, random.Test)
		state := g.Start()
		for range 8 + rng.IntN(16) {
			legal := state.Legal(nil)
			next := state.Play(legal[rng.IntN(len(legal))])
			if _, over := next.Outcome(); over {
				break
			}
			state = next
		}
		legal := state.Legal(nil)
		scores, err := solver.Moves(t.Context(), s, state, legal)
		if err != nil {
			t.Fatal(err)
		}
		var want []game.Action
		for i, a := range legal {
			if scores[i] == slices.Max(scores) {
				want = append(want, a)
			}
		}
		if got, err := s.Best(t.Context(), state); err != nil || !slices.Equal(got, want) {
			t.Errorf("seed %d: best moves %v, error %v; want %v with scores %v", seed, got, err, want, scores)
		}
	}
}
