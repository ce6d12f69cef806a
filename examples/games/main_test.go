package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"games/theory"
	"games/toads"
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
	engine.Register(append(theory.Families(), toads.Family)...)
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

// People play a row of numbers in the terminal, and lose Nim to perfect play.
func TestPlay(t *testing.T) {
	says(t, command(t, "R\nL\nL\nL\n", "play", "--against", "human", "--game", "predictwinner:3,9,1,2"),
		"\n 3  9  1 (X)\n", "\nfirst player 11, second player 4\n", "X wins.")
	says(t, command(t, "3:0\n1:0\n2:0\n", "play", "--against", "solver", "--game", "nim:2,2"),
		"O plays 2:0", "a proven win", `move 1, "3:0", is not legal here: legal are 1:1, 2:1, 1:0, 2:0`, "You lose.")
	says(t, command(t, "1:19\n", "play", "--against", "solver", "--game", "nim:21,max3"), "O plays 1:16", "a proven win")
}

// Pieces move from a cell to a cell.
func TestPlayToads(t *testing.T) {
	lines := strings.ReplaceAll("b1c1 help d1b1 c1d1 e1c1 d1e1 ", " ", "\n")
	says(t, command(t, lines, "play", "--against", "human", "--game", "toads:2,1,1"), "Moves: d1b1", "X wins.")
}

// The games are solved by theory, and by minimax like any other game.
func TestSolve(t *testing.T) {
	says(t, command(t, "\n1:20\n", "solve", "--game", "nim:21,max3", "--moves"), "start 6 ", " 1:20:6 ", "\n1:20 -6 ")
	says(t, command(t, "", "grade", "--player", "solver", "--game", "nim:1,3,5,7", "--positions", "every"),
		"solver keeps the result in 2307 of 2307 positions, and chooses a best move in 2307")
	says(t, command(t, "\n", "analyze", "--player", "minimax", "--game", "caniwin:4,6"), "win")
}

// Each game says its rules, which depend on the board.
func TestSentences(t *testing.T) {
	for name, want := range map[string]string{
		"nim:1,3,5,7":        "Take any number of things from one pile. If you take the last thing, you win.",
		"nim:1,3,5,7,misere": "you lose.", "nim:21,max3": "Take one to 3 things from one pile.",
		"predictwinner:3,9,1,2": "the larger sum wins", "caniwin:10,40": "to 40 or more", "toads:2,2,3": "Move an animal of yours",
	} {
		says(t, open(t, name).Info().Sentence, want)
	}
}

// The configurations train.
func TestTrain(t *testing.T) {
	for _, name := range []string{"nim", "predictwinner", "caniwin", "toads"} {
		dir := filepath.Join(t.TempDir(), name)
		command(t, "", "train", "--config", name+".yaml", "--run", dir,
			"--set", "train.iterations=1", "--set", "train.games_per_iteration=8",
			"--set", "search.simulations=4", "--set", "train.evaluate_every=0", "--set", "replay.min_window=1")
		says(t, command(t, "\n", "analyze", "--player", "net:"+dir+":4"), "start: ", "4 simulations")
	}
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

// A drawn board shows the texts of its cells, the numbers that each side has taken, and the tally.
func TestDrawing(t *testing.T) {
	for _, c := range []struct{ name, moves, want string }{
		{"nim:1,3,2", "2:1", `
   1  2  3
2  .  .  .
1  . (.) |
0  |  |  |
   1  2  3
`},
		{"predictwinner:3,119,1,2", "RL", `
  (O) 119    1    X
first player 2, second player 3
`},
		{"caniwin:9,11", "37", `
 1  2  X  4  5  6 (O) 8  9
10 of 11
`},
	} {
		p, err := open(t, c.name).Parse(c.moves)
		if err != nil {
			t.Fatal(err)
		}
		if got := "\n" + p.String(); got != c.want {
			t.Errorf("%s after %s:%s\nwant%s", c.name, c.moves, got, c.want)
		}
	}
	p := open(t, "nim:1,3").Start()
	if p.Last != game.Onto(-1) || p.Target(p.Legal[0]) != game.Onto(1) || len(p.Texts) != 6 || p.Texts[0] != "" || p.Texts[1] != "|" {
		t.Errorf("last %v, target %v, texts %q", p.Last, p.Target(p.Legal[0]), p.Texts)
	}
}

// PliesLeft is right for games that the loser ends and for games of fixed length.
func TestPliesLeftWhereTheLoserEnds(t *testing.T) {
	for _, c := range []struct {
		name, moves string
		want        int
	}{
		{"nim:1,misere", "", 1}, {"nim:2,misere", "", 2}, {"nim:2", "", 1}, {"nim:1,1,misere", "1:0", 1},
		{"predictwinner:1,2", "", 2}, {"predictwinner:1,2,3,4", "R", 3}, {"predictwinner:1,5,2", "L", 2},
		{"caniwin:10,11", "", 2},
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
		"predictwinner:03,9":  {"predictwinner:3,9", "Predict the Winner 3, 9"},
		"caniwin: 10 ,11":     {"caniwin:10,11", "Can I Win 10, to 11"},
	} {
		if info := open(t, name).Info(); [2]string{info.Name, info.Title} != want {
			t.Errorf("%q is called %q; want %q", name, [2]string{info.Name, info.Title}, want)
		}
	}
	for _, name := range []string{"nim", "nim:", "nim:0", "predictwinner:x", "caniwin:10"} {
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
	// The least share of results that the bare network keeps.
	bareShares := map[string]float64{"nim": 0.98, "predictwinner": 0.98, "caniwin": 0.95}
	for name, bare := range bareShares {
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(name + ".yaml")
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
			if share := report.Players[1].Parts["all"].Kept.Value(); share < bare {
				t.Errorf("the bare network is right in %.4f of the positions, want %.4f", share, bare)
			}
		})
	}
}
