package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"games/nim"
	"tengen/engine"
	"tengen/eval/grade"
	"tengen/game"
	"tengen/players"
	"tengen/run"
)

// asProgram is the environment variable that makes the test binary run main.
const asProgram = "TEST_AS_GAMES"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	engine.Register(nim.Family)
	os.Exit(m.Run())
}

// command runs a command line, which must succeed, and returns its output.
func command(t *testing.T, in string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// says checks that text contains all parts.
func says(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q in\n%s", part, text)
		}
	}
}

// People lose Nim to perfect play in the terminal.
func TestPlay(t *testing.T) {
	says(t, command(t, "3:0\n1:0\n2:0\n", "play", "--against", "solver", "--game", "nim:2,2"),
		"O plays 2:0", "a proven win", `move 1, "3:0", is not legal here: legal are 1:1, 2:1, 1:0, 2:0`, "You lose.")
	says(t, command(t, "1:19\n", "play", "--against", "solver", "--game", "nim:21,max3"), "O plays 1:16", "a proven win")
}

// Nim is solved by theory.
func TestSolve(t *testing.T) {
	says(t, command(t, "\n1:20\n", "solve", "--game", "nim:21,max3", "--moves"), "start 6 ", " 1:20:6 ", "\n1:20 -6 ")
	says(t, command(t, "", "grade", "--player", "solver", "--game", "nim:1,3,5,7", "--positions", "every"),
		"solver keeps the result in 2307 of 2307 positions, and chooses a best move in 2307")
}

// Each game says its rules, which depend on the board.
func TestSentences(t *testing.T) {
	for name, want := range map[string]string{
		"nim:1,3,5,7":        "Take any number of things from one pile. If you take the last thing, you win.",
		"nim:1,3,5,7,misere": "you lose.", "nim:21,max3": "Take one to 3 things from one pile.",
	} {
		says(t, open(t, name).Info().Sentence, want)
	}
}

// The configuration trains.
func TestTrain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nim")
	command(t, "", "train", "--config", "nim.yaml", "--run", dir,
		"--set", "train.iterations=1", "--set", "train.games_per_iteration=8",
		"--set", "search.simulations=4", "--set", "train.evaluate_every=0", "--set", "replay.min_window=1")
	says(t, command(t, "\n", "analyze", "--player", "net:"+dir+":4"), "start: ", "4 simulations")
}

// open returns the engine of a game.
func open(t *testing.T, name string) engine.Game {
	t.Helper()
	e, err := engine.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A drawn board shows the texts of its cells.
func TestDrawing(t *testing.T) {
	const want = `
   1  2  3
2  .  .  .
1  . (.) |
0  |  |  |
   1  2  3
`
	p, err := open(t, "nim:1,3,2").Parse("2:1")
	if err != nil {
		t.Fatal(err)
	}
	if got := "\n" + p.String(); got != want {
		t.Errorf("%s\nwant%s", got, want)
	}
	p = open(t, "nim:1,3").Start()
	if p.Last != game.Onto(-1) || p.Target(p.Legal[0]) != game.Onto(1) || len(p.Texts) != 6 || p.Texts[0] != "" || p.Texts[1] != "|" {
		t.Errorf("last %v, target %v, texts %q", p.Last, p.Target(p.Legal[0]), p.Texts)
	}
}

// PliesLeft is right for games that the loser ends.
func TestPliesLeftWhereTheLoserEnds(t *testing.T) {
	for _, c := range []struct {
		name, moves string
		want        int
	}{
		{"nim:1,misere", "", 1}, {"nim:2,misere", "", 2}, {"nim:2", "", 1}, {"nim:1,1,misere", "1:0", 1},
	} {
		e := open(t, c.name)
		s, err := e.Solver(engine.DefaultSolverOptions())
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Parse(c.moves)
		if err != nil {
			t.Fatal(err)
		}
		solution, err := s.Solve(t.Context(), p, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.PliesLeft(solution.Score); got != c.want {
			t.Errorf("%s after %q with score %d has %d plies left, want %d",
				c.name, c.moves, solution.Score, got, c.want)
		}
	}
}

// A board has one name and a title. An invalid name gives an error with the form to write.
func TestNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"Nim: 1, 3,5 ,MISERE": {"nim:1,3,5,misere", "Mis\u00e8re Nim 1, 3, 5"},
		"nim:21, max3":        {"nim:21,max3", "Nim 21, max3"},
		"nim:03,4":            {"nim:3,4", "Nim 3, 4"},
	} {
		if info := open(t, name).Info(); [2]string{info.Name, info.Title} != want {
			t.Errorf("%q is called %q; want %q", name, [2]string{info.Name, info.Title}, want)
		}
	}
	for _, name := range []string{"nim", "nim:", "nim:0", "nim:x"} {
		if _, err := engine.Open(name); err == nil || !strings.Contains(err.Error(), "write ") {
			t.Errorf("%q: %v; want an error that says what to write", name, err)
		}
	}
}

var acceptance = flag.Bool("acceptance", false, "also run trainings that take minutes")

// A trained player with a search keeps the result in every position, by the solver's grade.
func TestLearned(t *testing.T) {
	if !*acceptance {
		t.Skip("trains for minutes: run with -args -acceptance")
	}
	content, err := os.ReadFile("nim.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := run.ParseConfig(content)
	if err != nil {
		t.Fatal(err)
	}
	e, dir := open(t, cfg.Game), filepath.Join(t.TempDir(), "run")
	training, err := run.Train(t.Context(), run.TrainConfig{Config: cfg, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(training.Run(t.Context()), training.Close()); err != nil {
		t.Fatal(err)
	}
	config := engine.DefaultProblems()
	config.Positions = "every"
	set, err := e.Problems(t.Context(), config, nil)
	if err != nil {
		t.Fatal(err)
	}
	player, err := e.Player(players.Spec{Kind: players.KindNet, Path: dir, Limit: 64}, engine.PlayerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := e.Grade(t.Context(), grade.Config{Seed: 1, Workers: config.Sample.Workers}, player, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", cfg.Game, report.Counts())
	if kept := report.Players[0].Parts["all"].Kept; kept.Count < kept.Of {
		t.Errorf("%d mistakes with 64 simulations", kept.Of-kept.Count)
	}
	if share := report.Players[1].Parts["all"].Kept.Value(); share < 0.98 {
		t.Errorf("the bare network is right in %.4f of the positions, want 0.98", share)
	}
}
