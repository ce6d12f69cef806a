package run

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"tengen/engine"
	"tengen/eval"
	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/players"
)

// What takes minutes is run by
//
//	go test ./run -run 'Learned|Slip' -v -timeout 60m -args -acceptance
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
	e, config := open(t, cfg.Game), engine.DefaultProblems()
	config.Every = true
	set, err := e.Problems(t.Context(), config, nil)
	if err != nil {
		t.Fatal(err)
	}
	player, err := e.Player(players.Spec{Kind: players.KindNet, Path: dir, Limit: 64}, engine.PlayerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := player.Grade(t.Context(), grade.Config{Seed: 1, Workers: 2}, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", cfg.Game, report.Counts())
	for _, p := range report.Players {
		if kept := p.Parts["all"].Kept; kept.Count < kept.Of {
			t.Errorf("%s makes %d mistakes", p.Player, kept.Of-kept.Count)
		}
	}
}

// trained trains a run to its end.
func trained(t *testing.T, cfg Config, dir string) {
	t.Helper()
	run, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir, Warn: func(err error) { t.Error(err) }})
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
	e := open(t, "connect4")
	exact, err := e.Solver(engine.DefaultSolverOptions())
	if err != nil {
		t.Fatal(err)
	}
	openings, err := eval.Openings(connect4.Standard(), plies, 4*games, 1)
	if err != nil {
		t.Fatal(err)
	}
	var pair [2]engine.Thinker
	for side, text := range []string{"solver", "uct:2000"} {
		player, err := e.Player(spec(t, text), engine.PlayerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if pair[side], err = player.Think(players.Default()); err != nil {
			t.Fatal(err)
		}
	}
	played, won := 0, 0
	for _, opening := range openings {
		p, err := e.Replay(opening)
		if err != nil {
			t.Fatal(err)
		}
		if sign, err := exact.Sign(t.Context(), p); err != nil {
			t.Fatal(err)
		} else if sign <= 0 || played == games {
			continue
		}
		played++
		solver := p.ToMove
		for side := 0; !p.Over; side = 1 - side {
			pair[side].Reset(p)
			answer, err := pair[side].Think(t.Context(), pair[side].Limit(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if p, err = p.Play(answer.Best); err != nil {
				t.Fatal(err)
			}
		}
		if game.Side(p.Outcome) == solver {
			won++
		} else {
			t.Errorf("not won after %s", e.Format(opening...))
		}
	}
	t.Logf("%d of %d won positions were won", won, played)
	if played < games {
		t.Errorf("%d of %d openings are won, want %d", played, len(openings), games)
	}
}
