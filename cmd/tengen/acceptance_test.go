package main

import (
	"bytes"
	"context"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"tengen/arena"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/random"
)

// Trainings of minutes are run by
//
//	go test ./cmd/tengen -run Learned -v -timeout 30m -args -acceptance
var acceptance = flag.Bool("acceptance", false, "also run the trainings that take minutes")

// A player that has learned tic-tac-toe from examples/tictactoe.yaml chooses optimal moves, as told by minimax, in nearly
// all positions: with a search and with the bare policy.
func TestTicTacToeIsLearned(t *testing.T) {
	if !*acceptance {
		t.Skip("trains for minutes: run with -args -acceptance")
	}
	dir := filepath.Join(t.TempDir(), "run")
	var out bytes.Buffer
	if code := run(t.Context(), []string{"train", "--config", "../../examples/tictactoe.yaml", "--run", dir}, nil, &out, &out); code != exitOK {
		t.Fatalf("train: exit status %d\n%s", code, &out)
	}
	t.Logf("\n%s", &out)
	for _, goal := range []struct {
		simulations string
		share       float64
	}{{"64", 0.995}, {"0", 0.95}} {
		optimal, positions := gradeTicTacToe(t, "net:"+dir+":"+goal.simulations)
		share := float64(optimal) / float64(positions)
		t.Logf("%s simulations: optimal in %d of %d positions, %.2f %%", goal.simulations, optimal, positions, 100*share)
		if share < goal.share {
			t.Errorf("with %s simulations %.2f %% of the moves are optimal, want %.1f %%", goal.simulations, 100*share, 100*goal.share)
		}
	}
}

// gradeTicTacToe lets a player move in every position that is not over and counts the moves that keep the best result.
func gradeTicTacToe(t *testing.T, text string) (optimal, positions int) {
	t.Helper()
	b := bound[mnk.State]{mnk.TicTacToe()}
	spec, err := arena.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	entrant, err := b.builder(defaultConfig()).Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	player, err := entrant.New()
	if err != nil {
		t.Fatal(err)
	}
	values := map[game.Key]float32{}
	minimax(b.game.Start(), values)
	seen := map[game.Key]bool{}
	var visit func(s mnk.State)
	visit = func(s mnk.State) {
		if _, over := s.Outcome(); over || seen[s.Key()] {
			return
		}
		seen[s.Key()] = true
		moves := make([]game.Action, 1)
		if err := player.Choose(context.Background(), []mnk.State{s}, []*rand.Rand{random.New(1, uint64(positions))}, moves); err != nil {
			t.Fatal(err)
		}
		positions++
		if -values[s.Play(moves[0]).Key()] == values[s.Key()] {
			optimal++
		}
		for _, a := range s.Legal(nil) {
			visit(s.Play(a))
		}
	}
	visit(b.game.Start())
	return optimal, positions
}

// minimax is the value of s for the side to move; it fills in those of all positions after s.
func minimax(s mnk.State, values map[game.Key]float32) float32 {
	if v, ok := values[s.Key()]; ok {
		return v
	}
	best, over := s.Outcome()
	if !over {
		best = -1
		for _, a := range s.Legal(nil) {
			best = max(best, -minimax(s.Play(a), values))
		}
	}
	values[s.Key()] = best
	return best
}
