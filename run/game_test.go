package run

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"tengen/engine"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/solver"
)

func TestPerfect(t *testing.T) {
	t.Run("tictactoe", func(t *testing.T) { checkPerfect(t, open(t, "tictactoe").(engine.Typed[mnk.State]), 3) })
	t.Run("connect4", func(t *testing.T) { checkPerfect(t, open(t, "connect4").(engine.Typed[connect4.State]), 26) })
}

// checkPerfect compares perfect with alpha-beta in random positions of a ply, from several goroutines.
func checkPerfect[S game.State[S]](t *testing.T, e engine.Typed[S], ply int) {
	perfect, truth := e.Exact.Signs(), solver.NewAlphaBeta(e.Rules, solver.Default())
	var group errgroup.Group
	var seen [3]atomic.Int64
	for seed := range uint64(400) {
		state, ok := randomPosition(e.Rules, ply, random.New(seed, random.Test))
		if !ok {
			continue
		}
		score, err := truth.Solve(t.Context(), state)
		noError(t, err)
		group.Go(func() error {
			if got := perfect([]S{state, state}); got[0] != got[1] || int(got[0]) != score.Sign() {
				return fmt.Errorf("%v: %d, want %d", state, got, score.Sign())
			}
			seen[score.Sign()+1].Add(1)
			return nil
		})
	}
	noError(t, group.Wait())
	for i := range seen {
		if seen[i].Load() == 0 {
			t.Errorf("no position with result %d", i-1)
		}
	}
}

// randomPosition plays random moves. ok is false if the game ends.
func randomPosition[S game.State[S]](g game.Game[S], plies int, rng *rand.Rand) (S, bool) {
	state := g.Start()
	for range plies {
		legal := state.Legal(nil)
		state = state.Play(legal[rng.IntN(len(legal))])
		if _, over := state.Outcome(); over {
			return state, false
		}
	}
	return state, true
}

// greyState is a position of tic-tac-toe with half a stone in the planes after the second move.
type greyState struct{ mnk.State }

func (s greyState) Play(a game.Action) greyState { return greyState{s.State.Play(a)} }

func (s greyState) Encode(planes []float32) {
	s.State.Encode(planes)
	if s.Ply() == 2 {
		planes[9+4] = 0.5
	}
}

func (g greyGame) Start() greyState { return greyState{g.Game.Start()} }

type greyGame struct{ *mnk.Game }

// Planes are 0 and 1: a card would compute something else from other values than this processor.
func TestPlanesAreChecked(t *testing.T) {
	e := engine.Typed[greyState]{Rules: greyGame{mnk.TicTacToe()}}
	wantError(t, e.CheckTraining(1, 0, false), "tictactoe cannot be trained: at ply 2, plane 1 in row 1, column 1, from 0, is 0.5", false)
}
