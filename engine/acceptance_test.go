package engine

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"tengen/arena"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/solver"
)

// What takes minutes is run by
//
//	go test ./engine -run 'Learned|Slip' -v -timeout 60m -args -acceptance
var acceptance = flag.Bool("acceptance", false, "also run the trainings and matches that take minutes")

// A player that has learned tic-tac-toe from examples/tictactoe.yaml chooses optimal moves, as told by a table of the whole game, in
// all positions: with a search and with the bare policy.
func TestTicTacToeIsLearned(t *testing.T) {
	if !*acceptance {
		t.Skip("trains for minutes: run with -args -acceptance")
	}
	dir := filepath.Join(t.TempDir(), "run")
	content, err := os.ReadFile("../examples/tictactoe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := ParseConfig(content)
	if err != nil {
		t.Fatal(err)
	}
	trained(t, cfg, dir)
	for _, goal := range []struct {
		simulations string
		share       float64
	}{{"64", 1}, {"0", 1}} {
		optimal, positions := gradeTicTacToe(t, "net:"+dir+":"+goal.simulations)
		share := float64(optimal) / float64(positions)
		t.Logf("%s simulations: optimal in %d of %d positions, %.2f %%", goal.simulations, optimal, positions, 100*share)
		if share < goal.share {
			t.Errorf("with %s simulations %.2f %% of the moves are optimal, want %.1f %%", goal.simulations, 100*share, 100*goal.share)
		}
	}
}

// trained trains a run to its end.
func trained(t *testing.T, cfg Config, dir string) {
	t.Helper()
	e, err := Open(cfg.Game)
	if err != nil {
		t.Fatal(err)
	}
	run, err := e.Train(t.Context(), TrainConfig{Config: cfg, Dir: dir, Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(run.Run(t.Context()), run.Close()); err != nil {
		t.Fatal(err)
	}
}

// gradeTicTacToe lets a player move in every position that is not over and counts the moves that keep the best result.
func gradeTicTacToe(t *testing.T, text string) (optimal, positions int) {
	t.Helper()
	b := typed[mnk.State]{game: mnk.TicTacToe()}
	spec, err := arena.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	entrant, err := b.builder(PlayerOptions{}).Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	player, err := entrant.New()
	if err != nil {
		t.Fatal(err)
	}
	table, err := solver.NewTablebase(t.Context(), b.game, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	value := func(s mnk.State) int {
		score, err := table.Solve(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return score.Sign()
	}
	seen := map[game.Key]bool{}
	var visit func(s mnk.State)
	visit = func(s mnk.State) {
		if _, over := s.Outcome(); over || seen[s.Key()] {
			return
		}
		seen[s.Key()] = true
		moves := make([]game.Action, 1)
		if err := player.Choose(context.Background(), []mnk.State{s}, []*rand.Rand{random.New(1, random.Test, uint64(positions))}, moves); err != nil {
			t.Fatal(err)
		}
		positions++
		if -value(s.Play(moves[0])) == value(s) {
			optimal++
		}
		for _, a := range s.Legal(nil) {
			visit(s.Play(a))
		}
	}
	visit(b.game.Start())
	return optimal, positions
}

// The solver wins every won position of Connect Four against a strong opponent: 1000 openings of 12 random plies in which
// the side to move wins, against uct:2000.
func TestSolverLetsNoWinSlip(t *testing.T) {
	if !*acceptance {
		t.Skip("plays for minutes: run with -args -acceptance")
	}
	const games, plies = 1000, 12
	e, err := Open("connect4")
	if err != nil {
		t.Fatal(err)
	}
	b := e.(typed[connect4.State])
	exact, err := b.exact(DefaultSolverOptions())
	if err != nil {
		t.Fatal(err)
	}
	openings, err := arena.Openings(b.game, plies, 4*games, 1)
	if err != nil {
		t.Fatal(err)
	}
	var players [2]arena.Player[connect4.State]
	for side, spec := range []arena.Spec{{Kind: arena.KindSolver}, {Kind: arena.KindUCT, Limit: 2000}} {
		entrant, err := b.builder(PlayerOptions{}).Build(spec)
		if err != nil {
			t.Fatal(err)
		}
		if players[side], err = entrant.New(); err != nil {
			t.Fatal(err)
		}
	}
	played, won := 0, 0
	for number, opening := range openings {
		s, err := game.Replay(b.game, opening)
		if err != nil {
			t.Fatal(err)
		}
		if score, err := exact.Solve(t.Context(), s); err != nil {
			t.Fatal(err)
		} else if score <= 0 || played == games {
			continue
		}
		played++
		rng := random.New(2, random.Test, uint64(number))
		for {
			if z, over := s.Outcome(); over {
				if z < 0 && s.Ply()%2 == (plies+1)%2 { // the solver moved last
					won++
				} else {
					t.Errorf("not won after %s", b.game.FormatMoves(opening))
				}
				break
			}
			moves := make([]game.Action, 1)
			side := (s.Ply() - plies) % 2
			if err := players[side].Choose(t.Context(), []connect4.State{s}, []*rand.Rand{rng}, moves); err != nil {
				t.Fatal(err)
			}
			s = s.Play(moves[0])
		}
	}
	t.Logf("%d of %d won positions were won", won, played)
	if played < games {
		t.Errorf("%d of %d openings are won, want %d", played, len(openings), games)
	}
}
