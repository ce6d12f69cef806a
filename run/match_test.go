package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"tengen/engine"
	"tengen/eval"
	"tengen/live"
	"tengen/mcts"
	"tengen/players"
)

// match lets players of tic-tac-toe meet in a few games.
func match(t *testing.T, player, against string, games int) engine.Match {
	t.Helper()
	m := engine.Match{Player: spec(t, player), Against: spec(t, against), MatchConfig: eval.Default()}
	m.Games, m.Workers = games, 2
	return m
}

func TestMatch(t *testing.T) {
	e := open(t, "tictactoe")
	played := 0
	r, err := e.Match(t.Context(), match(t, "minimax", "random", 12), func(r eval.Result) { played = r.Total().Games() })
	if err != nil {
		t.Fatal(err)
	}
	if total := r.Total(); total.Games() != 12 || total.Losses > 2 || played != 12 || r.Game != "tictactoe" || r.Player != "minimax" {
		t.Errorf("after %d games: %+v", played, r)
	}
	alone := match(t, "minimax", "random", 12)
	alone.Workers, alone.Lockstep = 1, 1
	if again, err := e.Match(t.Context(), alone, nil); err != nil || again.AsFirst != r.AsFirst || again.AsSecond != r.AsSecond {
		t.Errorf("one worker finds %v, %v; two %v", again, err, r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err = e.Match(ctx, match(t, "random", "random", 1000), func(eval.Result) { cancel() })
	if games := r.Total().Games(); !errors.Is(err, context.Canceled) || games == 0 || games == 1000 {
		t.Errorf("cancelled after the first game: %d games, %v", games, err)
	}
	_, err = e.Match(t.Context(), match(t, "random", "random", 0), nil)
	wantError(t, err, "games is 0", true)
	_, err = e.Match(t.Context(), match(t, "net:connect4", "random", 2), nil)
	wantError(t, err, "the model plays connect4, not tictactoe", false)
	_, err = e.Match(t.Context(), match(t, "random", "net:nowhere", 2), nil)
	wantError(t, err, `player "net:nowhere": there is no model`, false)
}

// A model brings the constants of the search that trained it. PlayerOptions.Search changes them, wherever it plays.
func TestPlayersSearchAsTrained(t *testing.T) {
	e, run := open(t, "tictactoe"), "net:"+tinyRun(t)
	simulations := tinyConfig().Search.Simulations
	more := engine.PlayerOptions{Search: func(trained mcts.Config) mcts.Config {
		if trained != tinyConfig().Search {
			t.Errorf("the model was trained with %+v", trained)
		}
		trained.Simulations = 13
		return trained
	}}
	for want, options := range map[int]engine.PlayerOptions{simulations: {}, 13: more} {
		m := match(t, run, "random", 2)
		m.Players = options
		if r, err := e.Match(t.Context(), m, nil); err != nil || r.Player != fmt.Sprint(run, ":", want) {
			t.Errorf("the player is %s, %v; want %d simulations", r.Player, err, want)
		}
		questions := make(chan engine.Question, 1)
		questions <- engine.Ask(e, "a1")
		close(questions)
		err := e.Analyze(t.Context(), engine.AnalyzeConfig{Player: m.Player, Players: options, Workers: 1}, questions,
			func(_ engine.Question, a *players.Analysis) error {
				if a.Simulations != want {
					t.Errorf("analyzed with %d simulations, want %d", a.Simulations, want)
				}
				return nil
			})
		if err != nil {
			t.Error(err)
		}
		thinker, err := e.Think(engine.ThinkConfig{Player: m.Player, Players: options, Options: live.Default()})
		if err != nil {
			t.Fatal(err)
		}
		if got := thinker.Limit(); got != (live.Limit{Simulations: want}) {
			t.Errorf("the limit is %+v, want %d simulations", got, want)
		}
	}
}

func TestLadder(t *testing.T) {
	e, run := open(t, "tictactoe"), tinyRun(t)
	l := Ladder{
		Runs: []string{run}, Against: []players.Spec{spec(t, "random"), spec(t, "minimax")}, Models: 2, Simulations: 2,
		MatchConfig: match(t, "random", "random", 4).MatchConfig,
	}
	var played []int
	c, err := e.Ladder(t.Context(), l, func(n, matches int, last eval.Result) {
		if played = append(played, n); matches != 6 || last.Total().Games() != 4 {
			t.Errorf("match %d of %d: %v", n, matches, last)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 2, 3, 4, 5, 6}; !slices.Equal(played, want) {
		t.Errorf("told of matches %v, want %v", played, want)
	}
	if len(c.Players) != 4 || c.Players[0].Name != "random" || c.Players[0].Rating.Elo != 0 || len(c.Models) != 2 {
		t.Fatalf("%+v", c)
	}
	if first, last := c.Models[0], c.Models[1]; first.Iteration != 0 || last.Iteration != 2 || last.Games != 16 {
		t.Errorf("the models are %+v", c.Models)
	}
	measured := c.Measured(run + "/")
	if len(measured) != 2 || measured[0].Iteration != 0 || measured[1].Iteration != 2 || c.Measured("elsewhere") != nil {
		t.Fatalf("measured are %+v", measured)
	}
	if p := measured[1].Points; len(p) != 1 || p[0].Series != "above random" || p[0].Value != float32(c.Players[3].Rating.Elo) {
		t.Errorf("the last model has %+v, want a rating of %v", p, c.Players[3].Rating)
	}
	for want, change := range map[string]func(*Ladder){
		"which runs?":          func(l *Ladder) { l.Runs = nil },
		"checkpoints is 0":     func(l *Ladder) { l.Models = 0 },
		"simulations is -1":    func(l *Ladder) { l.Simulations = -1 },
		"games is 0":           func(l *Ladder) { l.Games = 0 },
		"opening_plies is -99": func(l *Ladder) { l.OpeningPlies = -99 },
	} {
		bad := l
		change(&bad)
		_, err := e.Ladder(t.Context(), bad, nil)
		wantError(t, err, want, true)
	}
	l.Runs = []string{t.TempDir()}
	_, err = e.Ladder(t.Context(), l, nil)
	wantError(t, err, "it is no run directory", false)
}

func TestSpreadModels(t *testing.T) {
	for n, want := range map[int][]int{1: {2}, 2: {0, 2}, 3: {0, 1, 2}, 9: {0, 1, 2}} {
		models, err := SpreadModels(tinyRun(t), n)
		var got []int
		for _, m := range models {
			got = append(got, m.Iteration)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d models: iterations %v, %v; want %v", n, got, err, want)
		}
	}
}

// Perfect play is perfect, and a network is graded twice.
func TestGrade(t *testing.T) {
	e := open(t, "tictactoe")
	c := engine.DefaultGrade()
	c.Player, c.Sample.Positions, c.Sample.Workers, c.Sample.FromPly = spec(t, "minimax"), 10, 2, 3
	grader, err := e.Grader(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	r, err := grader.Grade(t.Context(), c.Player, func(n int) { done = max(done, n) })
	if err != nil {
		t.Fatal(err)
	}
	if grader.Positions() != 10 || r.Positions != 10 || done != 10 || len(r.Players) != 1 || r.Players[0].All.Optimal.Value() != 1 {
		t.Errorf("%d positions done of %d: %+v", done, grader.Positions(), r)
	}
	player := spec(t, "net:"+tinyRun(t)+":4")
	if r, err = grader.Grade(t.Context(), player, nil); err != nil || len(r.Players) != 2 || r.Players[0].Player == r.Players[1].Player {
		t.Errorf("%+v, %v", r, err)
	}
	for want, change := range map[string]func(*engine.GradeConfig){
		"from ply -2":          func(c *engine.GradeConfig) { c.Sample.FromPly = -2 },
		"positions is 0":       func(c *engine.GradeConfig) { c.Sample.Positions = 0 },
		"table_megabytes is 0": func(c *engine.GradeConfig) { c.Solver.TableMegabytes = 0 },
	} {
		bad := c
		change(&bad)
		_, err := e.Grader(t.Context(), bad, nil)
		wantError(t, err, want, true)
	}
	_, err = open(t, "gomoku").Grader(t.Context(), engine.DefaultGrade(), nil)
	wantError(t, err, "gomoku is quick to solve from ply 211 on only", true)
	c.File = "nowhere.txt"
	_, err = e.Grader(t.Context(), c, nil)
	wantError(t, err, "nowhere.txt", false)
}
