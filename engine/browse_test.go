package engine

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tengen/game/forced"
	"tengen/players"
	"tengen/replay"
	"tengen/replay/gamesdb"
)

// What a page needs to draw and click a game.
func TestLandingAndLines(t *testing.T) {
	if info := open(t, "connect4").Info(); !info.Drops || info.InARow != 4 {
		t.Errorf("Connect Four: %+v", info)
	}
	if info := open(t, "mnk:5,4,3").Info(); info.Drops || info.InARow != 3 {
		t.Errorf("mnk: %+v", info)
	}
	p := parsed(t, "connect4", "44")
	if cell := p.Target(3); cell != 3*7+3 {
		t.Errorf("the third disc in column 4 lies on cell %d", cell)
	}
	if cells := p.WonBy(); cells != nil {
		t.Errorf("a game that goes on is won by %v", cells)
	}
	if cells := parsed(t, "connect4", "1121314").WonBy(); !slices.Equal(cells, []int{35, 36, 37, 38}) {
		t.Errorf("the bottom row's four are %v", cells)
	}
	// The row a1 to d1 is too long, and the column d1 to d3 is not.
	if cells := parsed(t, "mnk:5,5,3,exact", "a1 a5 b1 b5 d2 d5 d3 e4 c4 c5").WonBy(); cells != nil {
		t.Errorf("a game that goes on by its rule is won by %v", cells)
	}
	if cells := parsed(t, "tictactoe", "a3 b3 a2 b1 c3 c2 b2 a1").WonBy(); cells != nil {
		t.Errorf("nobody has won: %v", cells)
	}
	if cells := parsed(t, "tictactoe", "a3 b3 c3 a2 a1 c2 c1 b1 b2").WonBy(); !slices.Equal(cells, []int{0, 2, 4, 6, 8}) {
		t.Errorf("two diagonals are %v", cells)
	}
	if cells := parsed(t, "tictactoe", "c1 a3 c2 b3 a1 c3").WonBy(); !slices.Equal(cells, []int{0, 1, 2}) {
		t.Errorf("the second player's row is %v", cells)
	}
}

// A network that is shared says and plays what the model does that a SPEC names.
func TestNetwork(t *testing.T) {
	e, dir := open(t, "tictactoe"), tinyRun(t)
	info, err := e.Describe(dir)
	if err != nil || info.Iteration != 2 || info.Simulations != 8 {
		t.Errorf("%+v, %v", info, err)
	}
	_, err = e.Describe("connect4")
	wantError(t, err, "connect4", false)
	network, err := e.Network(dir, PlayerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := parsed(t, "tictactoe", "b2")
	answer := func(c ThinkConfig) players.Report {
		c.Player, c.Options = spec(t, "net:"+dir), players.Options{Threads: 1, Batch: 1}
		thinker, err := e.Think(c)
		if err != nil {
			t.Fatal(err)
		}
		thinker.Set(p)
		r, err := thinker.Explain(t.Context(), thinker.Limit(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	own, shared := answer(ThinkConfig{}), answer(ThinkConfig{Network: network})
	if own.Best != shared.Best || !slices.Equal(own.Moves, shared.Moves) || len(shared.Lines) != 8 {
		t.Errorf("with a shared network %v, with one of its own %v", shared.Moves, own.Moves)
	}
	policy, value, err := network.Evaluate(p)
	if err != nil || value < -1 || value > 1 || policy[p.Last] != 0 {
		t.Errorf("%v, %v, %v", policy, value, err)
	}
	for _, m := range shared.Moves {
		if d := m.Prior - policy[m.Action]; d > 1e-5 || d < -1e-5 {
			t.Errorf("prior %v of move %d, the network says %v", m.Prior, m.Action, policy[m.Action])
		}
	}
	if _, err := e.Network("connect4", PlayerOptions{}); err == nil {
		t.Error("a network of another game is taken")
	}
}

func TestProve(t *testing.T) {
	e := open(t, "gomoku")
	p := parsed(t, "gomoku", "d8 a1 e8 a2 f8 a3 g8 a15")
	proof := e.Prove(p, 1000)
	if proof.Result != forced.Win || len(proof.Line) != 1 || len(proof.Moves) != len(p.Legal) {
		t.Fatalf("%v by %v", proof.Result, proof.Line)
	}
	var wins []string
	for i, r := range proof.Moves {
		if r == forced.Win {
			wins = append(wins, e.FormatAction(p.Legal[i]))
		}
	}
	if slices.Sort(wins); !slices.Equal(wins, []string{"c8", "h8"}) {
		t.Errorf("winning moves are %v", wins)
	}
	if proof := e.Prove(e.Start(), 1000); proof.Result != forced.Unknown || len(proof.Line) != 0 {
		t.Errorf("of the start, %v is proven", proof.Result)
	}
}

func TestPliesLeft(t *testing.T) {
	e := open(t, "tictactoe")
	s, err := e.Solver(DefaultSolverOptions())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"": 9, "a1 b1 a2 b2": 1, "a1 b1 a2 b2 a3": 0, "b2 a2": 5} {
		p := parsed(t, "tictactoe", text)
		solution, err := s.Solve(t.Context(), p, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.PliesLeft(p, solution.Score); got != want {
			t.Errorf("%q with score %d has %d plies left, want %d", text, solution.Score, got, want)
		}
	}
}

// The games of a run can be read while it is trained, by whoever trains it and by those who look on.
func TestRecorded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	training, err := open(t, "tictactoe").Train(t.Context(), TrainConfig{Config: tinyConfig(), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	count := func(open func() (*Run, error)) (games int) {
		run, err := open()
		if err != nil {
			t.Fatal(err)
		}
		err = run.Read(t.Context(), 0, func(e replay.Entry) error {
			games++
			return run.Check(e)
		})
		if _, end := run.Span(); err != nil || uint64(games) != end || run.Close() != nil {
			t.Errorf("%d games of %d, %v", games, end, err)
		}
		return games
	}
	recorded := func() (*Run, error) { return training.Recorded(t.Context()) }
	browsed := func() (*Run, error) { return OpenRun(t.Context(), dir) }
	if n, m := count(recorded), count(browsed); n+m != 0 {
		t.Errorf("%d and %d games before the first", n, m)
	}
	if err := training.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, m := count(recorded), count(browsed); n != 16 || m != 16 {
		t.Errorf("%d and %d games, 16 were played", n, m)
	}
	if v, err := VerifyRun(t.Context(), dir); err != nil || v.Games != 16 || len(v.Problems) > 0 {
		t.Errorf("verified while the run is open: %+v, %v", v, err)
	}
	if err := training.Close(); err != nil {
		t.Error(err)
	}
	if n := count(browsed); n != 16 {
		t.Errorf("%d games after the training", n)
	}
	if err := os.Remove(filepath.Join(dir, gamesdb.FileName)); err != nil {
		t.Fatal(err)
	}
	_, err = browsed()
	wantError(t, err, "no such file", false)
	_, err = OpenRun(t.Context(), t.TempDir())
	wantError(t, err, "is no run directory", false)
}
