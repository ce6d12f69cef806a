package run

import (
	"archive/zip"
	"bytes"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/replay"
	"tengen/replay/gamesdb"
	"tengen/train"
	"tengen/train/checkpoint"
)

// openRun opens a run that must be intact.
func openRun(t *testing.T, dir string) *Run {
	t.Helper()
	run, err := OpenRun(t.Context(), dir)
	noError(t, err)
	t.Cleanup(func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	})
	return run
}

func putGames(t *testing.T, dir, worker string, games ...*replay.Record) {
	t.Helper()
	db, err := gamesdb.Open(t.Context(), dir, func(err error) { t.Error(err) })
	for _, g := range games {
		if err == nil {
			err = db.Put(t.Context(), replay.Entry{Worker: worker, Time: time.Now(), Game: g})
		}
	}
	if err == nil {
		err = db.Close()
	}
	noError(t, err)
}

// openGame reads a game of a run.
func openGame(t *testing.T, dir string, number uint64) *replay.Record {
	t.Helper()
	e, err := openRun(t, dir).Find(t.Context(), number)
	noError(t, err)
	return e.Game
}

func deleteGame(t *testing.T, dir string, number int) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, gamesdb.FileName))
	noError(t, err)
	defer db.Close()
	if _, err := db.Exec("DELETE FROM games WHERE number = ?", number); err != nil {
		t.Fatal(err)
	}
}

// A continued run has the same models as one trained without a pause.
func TestTraining(t *testing.T) {
	cfg, dir := tinyConfig(t), filepath.Join(t.TempDir(), "run")
	cfg.Game = "TicTacToe" // names ignore case
	for _, iterations := range []int{1, 2} {
		cfg.Train.Iterations = iterations
		var phases []train.Phase
		run, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir, Observe: func(e train.Event) { phases = append(phases, e.Phase) }})
		noError(t, err)
		if run.Iteration() != iterations-1 || run.Game != "tictactoe" || run.Parameters == 0 {
			t.Errorf("%d iterations of %s with %d parameters", run.Iteration(), run.Game, run.Parameters)
		}
		if _, ok := run.JoinInfo(); ok || run.Distributed() || run.Workers() != nil {
			t.Error("workers may join a run that plays by itself")
		}
		if _, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir}); err == nil {
			t.Error("two processes train the run at once")
		}
		noError(t, run.Run(t.Context()))
		if run.Iteration() != iterations || phases[len(phases)-1] != train.PhaseDone {
			t.Errorf("%d iterations, phases %v", run.Iteration(), phases)
		}
		noError(t, run.Close())
	}
	const model = "model-00000002.safetensors"
	want, err := os.ReadFile(filepath.Join(tinyRun(t), model))
	noError(t, err)
	if got, err := os.ReadFile(filepath.Join(dir, model)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the model differs from that of a run without a pause, %v", err)
	}
	cfg.Net.Channels++
	_, err = Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
	wantError(t, err, "net.channels is 5 here, but 4 in the run in ", false)
}

// Train finds mistakes in a configuration before it makes files.
func TestTrainErrors(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"net.channels is 0":       func(c *Config) { c.Net.Channels = 0 },
		`game "chess" is unknown`: func(c *Config) { c.Game = "chess" },
		"eval.against: player":    func(c *Config) { c.Eval.Against = "lizard" },
		"replay.window is 10, but must be at least train.batch_size": func(c *Config) {
			c.Replay.Window, c.Replay.MinWindow, c.Train.BatchSize = 10, 10, 16
		},
	} {
		cfg, dir := tinyConfig(t), filepath.Join(t.TempDir(), "run")
		change(&cfg)
		_, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
		wantError(t, err, want, true)
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: there is a run directory", want)
		}
	}
}

func TestJoinInfo(t *testing.T) {
	cfg, dir := tinyConfig(t), filepath.Join(t.TempDir(), "run")
	cfg.Cluster.Listen, cfg.Cluster.Local = "127.0.0.1:0", false
	run, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
	noError(t, err)
	i, ok := run.JoinInfo()
	if !ok || !run.Distributed() || i.Run != "" || i.Add != "workers add "+dir+" NAME" ||
		i.Command != "worker --server "+i.Server+" --token-file token" {
		t.Errorf("%+v", i)
	}
	if len(run.Workers()) != 0 {
		t.Errorf("workers %v", run.Workers())
	}
	noError(t, run.Close())
}

func TestRun(t *testing.T) {
	run := openRun(t, tinyRun(t))
	s, err := run.Summary(t.Context())
	if err != nil || s.Games != 16 || s.Newest != 15 || s.Damaged != 0 || s.Workers["local"] != 16 {
		t.Errorf("%+v, %v", s, err)
	}
	games, positions, err := run.Count(t.Context(), func(err error) { t.Error(err) })
	if err != nil || games != 16 || positions != s.Searches {
		t.Errorf("%d games, %d positions, %v; want %d", games, positions, err, s.Searches)
	}
	if run.Config.Search.Simulations != 8 || run.Game.Info().Name != "tictactoe" {
		t.Errorf("%+v", run.Config)
	}
	for _, number := range []uint64{0, 3, 15} {
		entry, err := run.Find(t.Context(), number)
		if err != nil || entry.Game.Number != number {
			t.Errorf("game %d: %+v, %v", number, entry, err)
			continue
		}
		if want := strconv.Itoa(len(entry.Game.Moves)) + " moves"; !strings.Contains(DescribeEnd(entry.Game), want) {
			t.Errorf("%q, want %s in it", DescribeEnd(entry.Game), want)
		}
	}
	_, err = run.Find(t.Context(), 16)
	wantError(t, err, "the run has no game 16: it holds games 0 to 15", false)
	if n, err := ParseGame("12"); n != 12 || err != nil {
		t.Errorf("game %d, %v", n, err)
	}
	for _, text := range []string{"three", "#1", "-1", "", "99999999999999999999"} {
		_, err := ParseGame(text)
		wantError(t, err, strconv.Quote(text)+" is not a game number", true)
	}
}

func TestExports(t *testing.T) {
	run := openRun(t, tinyRun(t))
	var text, file bytes.Buffer
	noError(t, run.ExportText(t.Context(), &text))
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	searched := 0
	err := run.Games(t.Context(), func(g *replay.Record) error {
		fields := strings.Split(lines[0], "\t")
		p, err := run.Game.Parse(fields[3])
		if err != nil || fields[0] != strconv.FormatUint(g.Number, 10) || fields[2] != g.Winner() || p.Over && p.Winner() != g.Winner() {
			t.Errorf("%q, %v; the game is %+v", lines[0], err, g)
		}
		lines, searched = lines[1:], searched+g.Searched()
		return nil
	}, nil)
	if err != nil || len(lines) > 0 {
		t.Errorf("%d lines too many, %v", len(lines), err)
	}
	noError(t, run.ExportNPZ(t.Context(), &file, searched))
	arrays, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	noError(t, err)
	if len(arrays.File) != 6 {
		t.Errorf("%d arrays, want 6", len(arrays.File))
	}
	wantError(t, run.ExportNPZ(t.Context(), &file, searched+1), "they have changed, so try again", false)
}

// A Run does not have games from after it was opened.
func TestRunIsFixed(t *testing.T) {
	dir := copyTiny(t)
	run := openRun(t, dir)
	entry, err := run.Find(t.Context(), 1)
	noError(t, err)
	more := *entry.Game
	more.Number = 16
	putGames(t, dir, "another", &more)
	if s, err := run.Summary(t.Context()); err != nil || s.Games != 16 {
		t.Errorf("%+v, %v", s, err)
	}
	games, positions, err := run.Count(t.Context(), nil)
	if err != nil || games != 16 {
		t.Errorf("%d games, %v", games, err)
	}
	noError(t, run.ExportNPZ(t.Context(), io.Discard, positions))
}

func TestVerifyRun(t *testing.T) {
	v, err := VerifyRun(t.Context(), tinyRun(t))
	if err != nil || v.Games != 16 || len(v.Problems) > 0 {
		t.Errorf("%+v, %v", v, err)
	}
	dir := copyTiny(t)
	model := filepath.Join(dir, "model-00000001.safetensors")
	noError(t, os.Truncate(model, 100))
	if v, err = VerifyRun(t.Context(), dir); err != nil || v.Games != 16 || len(v.Problems) != 1 || v.Problems[0].File != model {
		t.Errorf("%+v, %v", v, err)
	}
	spoiled := *openGame(t, dir, 3)
	spoiled.Moves = append([]game.Action{spoiled.Moves[1]}, spoiled.Moves[1:]...)
	putGames(t, dir, "gpu-1", &spoiled)
	deleteGame(t, dir, 5)
	v, err = VerifyRun(t.Context(), dir)
	if err != nil || v.Games != 14 || len(v.Problems) != 3 || *v.Problems[1].Game != 3 || *v.Problems[2].Game != 5 ||
		!strings.Contains(v.Problems[1].Text, "game 3 is not a valid record of tictactoe") || v.Problems[2].Text != "games 5 to 5 are missing" {
		t.Errorf("%+v, %v", v, err)
	}
	dir = copyTiny(t)
	newest := filepath.Join(dir, checkpoint.ModelName(2))
	noError(t, os.Remove(newest))
	for number := 10; number < 16; number++ {
		deleteGame(t, dir, number)
	}
	later := *openGame(t, dir, 9)
	later.Number = 20 // of an iteration that has not ended
	putGames(t, dir, "gpu-1", &later)
	v, err = VerifyRun(t.Context(), dir)
	if err != nil || v.Games != 11 || len(v.Problems) != 2 || v.Problems[0].File != newest || v.Problems[1].Text != "games 10 to 15 are missing" {
		t.Errorf("without a model and the last games: %+v, %v", v, err)
	}
	noError(t, os.RemoveAll(filepath.Join(dir, "state")))
	v, err = VerifyRun(t.Context(), dir)
	if err != nil || len(v.Problems) != 1 || !strings.Contains(v.Problems[0].Text, "but no checkpoint in state") {
		t.Errorf("without checkpoints: %+v, %v", v, err)
	}
	for _, c := range []struct {
		want  string
		spoil func() error
	}{
		{"has no games", func() error { return os.Remove(filepath.Join(dir, gamesdb.FileName)) }},
		{`game "chess" is unknown`, func() error {
			return os.WriteFile(filepath.Join(dir, checkpoint.ConfigFile), []byte("game: chess"), 0o644)
		}},
		{`unknown key "gaem"`, func() error { return os.WriteFile(filepath.Join(dir, checkpoint.ConfigFile), []byte("gaem: 1"), 0o644) }},
		{"is not a run directory", func() error { return os.RemoveAll(dir) }},
	} {
		noError(t, c.spoil())
		_, err := VerifyRun(t.Context(), dir)
		wantError(t, err, c.want, false)
	}
}

func TestSpentText(t *testing.T) {
	iteration := checkpoint.Metrics{Seconds: checkpoint.Seconds{SelfPlay: 31, Train: 15, Evaluate: 3, Total: 50}, CPUSeconds: 90}
	got := SpentText([]checkpoint.Metrics{iteration, iteration})
	want := "2 iterations took 1:40 and 180 processor seconds:\n  self-play 62 %, training 30 %, evaluation 6 %, other 2 %"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got = SpentText([]checkpoint.Metrics{{Seconds: checkpoint.Seconds{Wait: 3, Train: 1, Total: 4}}})
	want = "1 iteration took 0:04:\n  self-play 0 %, waiting for workers 75 %, training 25 %, evaluation 0 %, other 0 %"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWaitText(t *testing.T) {
	got := WaitText(checkpoint.Seconds{SelfPlay: 1, Train: 3, Total: 4, Rest: 2})
	if want := "training waited for games 25 % of the time, workers for training 50 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
