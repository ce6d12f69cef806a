package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tengen/eval"
	"tengen/eval/grade"
	"tengen/game/connect4"
	"tengen/mcts"
	"tengen/players"
	"tengen/solver"
)

func matchOf(games int) MatchConfig {
	c := MatchConfig{MatchConfig: eval.Default()}
	c.Games, c.Workers = games, 2
	return c
}

func TestMatch(t *testing.T) {
	e := open(t, "tictactoe")
	perfect, random := player(t, e, "solver"), player(t, e, "random")
	played := 0
	r, err := e.Match(t.Context(), matchOf(12), perfect, random, func(_ eval.MatchGame, r eval.Result) { played = r.Total().Games() })
	noError(t, err)
	if total := r.Total(); total.Games() != 12 || total.Losses > 2 || played != 12 || r.Game != "tictactoe" || r.Player != "solver" {
		t.Errorf("after %d games: %+v", played, r)
	}
	alone := matchOf(12)
	alone.Workers = 1
	if again, err := e.Match(t.Context(), alone, perfect, random, nil); err != nil || again.AsFirst != r.AsFirst || again.AsSecond != r.AsSecond {
		t.Errorf("one worker finds %v, %v; two %v", again, err, r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err = e.Match(ctx, matchOf(1000), random, random, func(eval.MatchGame, eval.Result) { cancel() })
	if games := r.Total().Games(); !errors.Is(err, context.Canceled) || games == 0 || games == 1000 {
		t.Errorf("cancelled after the first game: %d games, %v", games, err)
	}
	_, err = e.Match(t.Context(), matchOf(0), random, random, nil)
	wantError(t, err, "games is 0", true)
	c := matchOf(2)
	c.Openings = "dev"
	_, err = e.Match(t.Context(), c, random, random, nil)
	wantError(t, err, "tictactoe has no balanced openings", true)
	c.Openings = "all"
	_, err = e.Match(t.Context(), c, random, random, nil)
	wantError(t, err, `the half of the openings is "all"`, true)
}

// A shared network gives players the same results as a network per player.
func TestNetwork(t *testing.T) {
	e, file := open(t, "tictactoe"), tinyModel(t)
	other := modelOf(t, connect4.Standard())
	if info, err := Describe(e, file); err != nil || info != (ModelInfo{"tictactoe", 2, 8}) {
		t.Errorf("%+v, %v", info, err)
	}
	_, err := Describe(e, other)
	wantError(t, err, "the model plays connect4, not tictactoe", false)
	_, err = e.Player(spec(t, "net:"+other), PlayerOptions{})
	wantError(t, err, "the model plays connect4, not tictactoe", false)
	network, err := OpenNetwork(e, file, PlayerOptions{})
	noError(t, err)
	p := parsed(t, "tictactoe", "b2")
	answer := func(o PlayerOptions) players.Report {
		player, err := e.Player(spec(t, "net:"+file), o)
		noError(t, err)
		thinker, err := e.Think(player, players.Options{Threads: 1, Batch: 1})
		noError(t, err)
		thinker.Set(p)
		r, err := thinker.Explain(t.Context(), thinker.Limit(), nil, nil)
		noError(t, err)
		return r
	}
	own, shared := answer(PlayerOptions{}), answer(PlayerOptions{Network: network})
	if own.Best != shared.Best || !slices.Equal(own.Moves, shared.Moves) || len(shared.Lines) != 8 {
		t.Errorf("with a shared network %v, with a separate one %v", shared.Moves, own.Moves)
	}
	policy, value, err := network.Evaluate(p)
	if err != nil || value < -1 || value > 1 || policy[p.Last.To] != 0 {
		t.Errorf("%v, %v, %v", policy, value, err)
	}
	corners, edges := (policy[0]+policy[2]+policy[6]+policy[8])/4, (policy[1]+policy[3]+policy[5]+policy[7])/4
	for _, m := range shared.Moves { // a root is evaluated by the mean over the symmetries
		if d := m.Prior - []float32{corners, edges}[m.Action%2]; d > 1e-5 || d < -1e-5 {
			t.Errorf("prior %v of move %d, the network says %v", m.Prior, m.Action, policy)
		}
	}
}

// Players search with the constants of the model, which PlayerOptions.Search changes.
func TestPlayersSearchAsTrained(t *testing.T) {
	e, text := open(t, "tictactoe"), "net:"+tinyModel(t)
	more := PlayerOptions{Search: func(c mcts.Config) mcts.Config {
		if c != trained() {
			t.Errorf("the model was trained with %+v", c)
		}
		c.Simulations = 13
		return c
	}}
	for want, options := range map[int]PlayerOptions{8: {}, 13: more} {
		p, err := e.Player(spec(t, text), options)
		noError(t, err)
		if r, err := e.Match(t.Context(), matchOf(2), p, player(t, e, "random"), nil); err != nil || r.Player != fmt.Sprint(text, ":", want) || p.String() != r.Player {
			t.Errorf("the player is %s, %v; want %d simulations", r.Player, err, want)
		}
		if got := analyze(t, e, p, AnalyzeConfig{Workers: 1}, false, ask(e, "a1")); !strings.Contains(got[0], fmt.Sprintf(" %d simulations", want)) {
			t.Errorf("%q, want %d simulations", got, want)
		}
		thinker, err := e.Think(p, players.Default())
		noError(t, err)
		if got := thinker.Limit(); got != (players.Limit{Simulations: want}) {
			t.Errorf("the limit is %+v, want %d simulations", got, want)
		}
		_, err = e.Think(p, players.Options{})
		wantError(t, err, "threads is 0", true)
	}
}

// A network is graded with its search and without.
func TestGrade(t *testing.T) {
	e := open(t, "tictactoe")
	c := DefaultProblems()
	c.Positions, c.Sample.Workers, c.Sample.FromPly = "random:10", 2, 3
	set, err := e.Problems(t.Context(), c, nil)
	noError(t, err)
	done, config := 0, grade.Config{Seed: 1, Workers: 2}
	r, err := e.Grade(t.Context(), config, player(t, e, "solver"), set, func(n int) { done = max(done, n) })
	noError(t, err)
	if len(set.Problems) != 10 || r.Positions != 10 || done != 10 || len(r.Players) != 1 || r.Players[0].Parts["all"].Optimal.Value() != 1 {
		t.Errorf("%d positions done of %d: %+v", done, len(set.Problems), r)
	}
	for text, want := range map[string]int{":4": 2, ":0": 1} {
		net := player(t, e, "net:"+tinyModel(t)+text)
		if r, err = e.Grade(t.Context(), config, net, set, nil); err != nil || len(r.Players) != want || r.Players[0].Player != net.String() {
			t.Errorf("%+v, %v", r, err)
		}
	}
	for want, change := range map[string]func(*ProblemConfig){
		"from_ply is -2":                              func(c *ProblemConfig) { c.Sample.FromPly = -2 },
		"table_megabytes is 0":                        func(c *ProblemConfig) { c.Solver.TableMegabytes = 0 },
		"tictactoe has no exam":                       func(c *ProblemConfig) { c.Positions = "final" },
		"tictactoe has no opening book":               func(c *ProblemConfig) { c.Positions = "book:9" },
		`positions are "book:0", but`:                 func(c *ProblemConfig) { c.Positions = "book:0" },
		`positions are "random:x", but`:               func(c *ProblemConfig) { c.Positions = "random:x" },
		"cannot read the positions: open nowhere.txt": func(c *ProblemConfig) { c.Positions = "nowhere.txt" },
	} {
		bad := c
		change(&bad)
		_, err := e.Problems(t.Context(), bad, nil)
		wantError(t, err, want, true)
	}
	_, err = open(t, "gomoku").Problems(t.Context(), DefaultProblems(), nil)
	wantError(t, err, "gomoku is quick to solve only from ply 211 on", true)
}

// Positions that were tried have the scores of their moves, and are in no stage of the game.
func TestTriedProblems(t *testing.T) {
	e := open(t, "breakthrough:5,5")
	c := DefaultProblems()
	c.Positions, c.Sample.Workers = "random:8", 2
	set, err := e.Problems(t.Context(), c, nil)
	noError(t, err)
	exact, err := e.Solver(DefaultSolverOptions())
	noError(t, err)
	for _, p := range set.Problems {
		position, err := e.Replay(p.Moves)
		noError(t, err)
		want, err := exact.Solve(t.Context(), position, true)
		noError(t, err)
		if !slices.EqualFunc(p.Scores, want.Scores, func(a solver.Score, b int) bool { return int(a) == b }) || !slices.Equal(p.Parts, []string{"all"}) {
			t.Errorf("%s: parts %q, scores %v, want %v", position.Notation(), p.Parts, p.Scores, want.Scores)
		}
	}
	if len(set.Problems) != 8 {
		t.Errorf("%d positions, want 8", len(set.Problems))
	}
}

// GNU Go plays with the komi of the game, to the end and without a fault.
func TestGNUGo(t *testing.T) {
	const program = "/usr/games/gnugo"
	if _, err := os.Stat(program); err != nil {
		t.Skipf("%s is missing: apt-get install gnugo", program)
	}
	e := open(t, "go:5,4.5")
	gnuGo := player(t, e, "gtp:"+program+" --mode gtp --level 0 --chinese-rules --positional-superko --forbid-suicide --capture-all-dead")
	defer gnuGo.Close()
	r, err := e.Match(t.Context(), matchOf(6), player(t, e, "uct:20"), gnuGo, nil)
	noError(t, err)
	if r.Total().Games() != 6 || r.Total().Losses < 5 || r.AgainstProgram.Faults != 0 {
		t.Errorf("%+v, %d faults", r, r.AgainstProgram.Faults)
	}
}

// A model of Go knows the komi of its run, and the usual one on boards of other sizes.
func TestKomiWarning(t *testing.T) {
	for _, c := range []struct {
		plays, learned string
		warns          bool
	}{
		{"go", "go", false}, {"go:9,6.5", "go", true}, {"go:5,24", "go:5,20", true}, {"go:7", "go:5,20", false}, {"go:7,8", "go:5,24", true},
		{"gomoku", "go", false}, {"go", "gomoku", false}, {"go", "gone", false},
	} {
		if warning := KomiWarning(open(t, c.plays), c.learned); (warning != "") != c.warns {
			t.Errorf("%s with a model of %s: %q", c.plays, c.learned, warning)
		}
	}
}
