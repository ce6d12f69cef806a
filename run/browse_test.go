package run

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tengen/engine"
	"tengen/live"
	"tengen/replay"
	"tengen/replay/gamesdb"
)

// A network that is shared says and plays what the model does that a SPEC names.
func TestNetwork(t *testing.T) {
	e, dir := open(t, "tictactoe"), tinyRun(t)
	info, err := e.Describe(dir)
	if err != nil || info.Iteration != 2 || info.Simulations != 8 {
		t.Errorf("%+v, %v", info, err)
	}
	_, err = e.Describe("connect4")
	wantError(t, err, "connect4", false)
	network, err := e.Network(dir, engine.PlayerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := parsed(t, "tictactoe", "b2")
	answer := func(c engine.ThinkConfig) live.Report {
		c.Player, c.Options = spec(t, "net:"+dir), live.Options{Threads: 1, Batch: 1}
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
	own, shared := answer(engine.ThinkConfig{}), answer(engine.ThinkConfig{Network: network})
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
	if _, err := e.Network("connect4", engine.PlayerOptions{}); err == nil {
		t.Error("a network of another game is taken")
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
