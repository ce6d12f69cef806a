package run

import (
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"tengen/engine"
	"tengen/eval"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/players"
)

// What takes minutes is run by
//
//	go test ./engine -run 'Learned|Slip' -v -timeout 60m -args -acceptance
var acceptance = flag.Bool("acceptance", false, "also run the trainings and matches that take minutes")

// A player that has learned tic-tac-toe from its example makes no mistake in any position, as told by the solver, and neither does
// its bare policy.
func TestTicTacToeIsLearned(t *testing.T) {
	if !*acceptance {
		t.Skip("trains for minutes: run with -args -acceptance")
	}
	content, err := os.ReadFile("../examples/tictactoe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := ParseConfig(content)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	trained(t, cfg, dir)
	config := engine.DefaultGrade()
	config.Every = true
	grader, err := open(t, cfg.Game).Grader(t.Context(), config, nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := grader.Grade(t.Context(), players.Spec{Kind: players.KindNet, Path: dir, Limit: 64}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", cfg.Game, report.Counts())
	for _, p := range report.Players {
		if kept := p.All.Kept; kept.Count < kept.Of {
			t.Errorf("%s makes %d mistakes", p.Player, kept.Of-kept.Count)
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
	b := e.(bound[connect4.State])
	exact, err := b.Exact.New(engine.DefaultSolverOptions())
	if err != nil {
		t.Fatal(err)
	}
	openings, err := eval.Openings(b.Rules, plies, 4*games, 1)
	if err != nil {
		t.Fatal(err)
	}
	var pair [2]players.Player[connect4.State]
	for side, spec := range []players.Spec{{Kind: players.KindSolver}, {Kind: players.KindUCT, Limit: 2000}} {
		entrant, err := b.Builder(engine.PlayerOptions{}).Build(spec)
		if err != nil {
			t.Fatal(err)
		}
		if pair[side], err = entrant.New(); err != nil {
			t.Fatal(err)
		}
	}
	played, won := 0, 0
	for number, opening := range openings {
		s, err := game.Replay(b.Rules, opening)
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
					t.Errorf("not won after %s", b.Rules.FormatMoves(opening))
				}
				break
			}
			moves := make([]game.Action, 1)
			side := (s.Ply() - plies) % 2
			if err := pair[side].Choose(t.Context(), []connect4.State{s}, []*rand.Rand{rng}, moves); err != nil {
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
