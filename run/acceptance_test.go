package run

import (
	"flag"
	"path/filepath"
	"testing"

	"tengen/engine"
	"tengen/eval"
	"tengen/eval/grade"
	"tengen/game/connect4"
	"tengen/internal/fulltest"
	"tengen/players"
)

var acceptance = flag.Bool("acceptance", false, "also run the matches that take minutes")

// A network trained on tic-tac-toe with the example makes no mistake in any position, with or without a search.
func TestTicTacToeIsLearned(t *testing.T) {
	fulltest.Only(t) // takes half a minute
	cfg := readConfig(t, "../examples/tictactoe.yaml")
	dir := filepath.Join(t.TempDir(), "run")
	trainRun(t, TrainConfig{Config: cfg, Dir: dir, Warn: func(err error) { t.Log(err) }})
	e, config := open(t, cfg.Game), engine.DefaultProblems()
	config.Positions = "every"
	set, err := e.Problems(t.Context(), config, nil)
	noError(t, err)
	player, err := e.Player(players.Spec{Kind: players.KindNet, Path: dir, Limit: 64}, engine.PlayerOptions{})
	noError(t, err)
	report, err := e.Grade(t.Context(), grade.Config{Seed: 1, Workers: 2}, player, set, nil)
	noError(t, err)
	t.Logf("%s\n%s", cfg.Game, report.Counts())
	for _, p := range report.Players {
		if kept := p.Parts["all"].Kept; kept.Count < kept.Of {
			t.Errorf("%s makes %d mistakes", p.Player, kept.Of-kept.Count)
		}
	}
}

// The solver wins from 1000 won positions of Connect Four against uct:2000. They come from openings of 12 random plies.
//
//	go test ./run -run Slip -v -timeout 60m -args -acceptance
func TestSolverLetsNoWinSlip(t *testing.T) {
	if !*acceptance {
		t.Skip("plays for minutes: run with -args -acceptance")
	}
	const positions, plies = 1000, 12 // the first player is to move
	e := open(t, "connect4")
	exact, err := e.Solver(engine.DefaultSolverOptions())
	noError(t, err)
	openings, err := eval.Openings(connect4.Standard(), plies, 4*positions, 1)
	noError(t, err)
	match := engine.MatchConfig{MatchConfig: eval.Default()}
	for _, opening := range openings {
		p, err := e.Replay(opening)
		noError(t, err)
		if sign, err := exact.Sign(t.Context(), p); err != nil {
			t.Fatal(err)
		} else if sign > 0 && len(match.Fixed.Moves) < positions {
			match.Fixed.Moves = append(match.Fixed.Moves, opening)
		}
	}
	var pair [2]engine.Player
	for i, text := range []string{"solver", "uct:2000"} {
		if pair[i], err = e.Player(spec(t, text), engine.PlayerOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	match.Games = 2 * positions
	r, err := e.Match(t.Context(), match, pair[0], pair[1], nil)
	if err != nil || r.AsFirst.Wins != positions {
		t.Errorf("as first player %+v, %v; want %d wins", r.AsFirst, err, positions)
	}
}
