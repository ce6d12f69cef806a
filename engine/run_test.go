package engine

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"tengen/cluster/natslog"
	"tengen/cluster/natslog/natstest"
	"tengen/replay"
	"tengen/train"
)

// openRun opens a run that must be intact.
func openRun(t *testing.T, dir string) *Run {
	t.Helper()
	run, err := OpenRun(t.Context(), dir, func(message string) { t.Error(message) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	})
	return run
}

// A run that is stopped goes on to the same models, and has the games that it should have.
func TestTraining(t *testing.T) {
	cfg, dir := tinyConfig(), filepath.Join(t.TempDir(), "run")
	e := open(t, "tictactoe")
	cfg.Game = "TicTacToe" // however it is written
	for _, iterations := range []int{1, 2} {
		cfg.Train.Iterations = iterations
		var phases []train.Phase
		run, err := e.Train(t.Context(), TrainConfig{Config: cfg, Dir: dir, Observe: func(e train.Event) { phases = append(phases, e.Phase) }})
		if err != nil {
			t.Fatal(err)
		}
		if run.Iteration() != iterations-1 || run.Game != "tictactoe" || run.Parameters == 0 {
			t.Errorf("%d iterations of %s with %d parameters", run.Iteration(), run.Game, run.Parameters)
		}
		if _, ok := run.Invitation(); ok || run.Distributed() || run.Workers() != nil {
			t.Error("workers may join a run that plays by itself")
		}
		if _, err := e.Train(t.Context(), TrainConfig{Config: cfg, Dir: dir}); err == nil {
			t.Error("two have the run at once")
		}
		if err := run.Run(t.Context()); err != nil {
			t.Error(err)
		}
		if run.Iteration() != iterations || phases[len(phases)-1] != train.PhaseDone {
			t.Errorf("%d iterations, phases %v", run.Iteration(), phases)
		}
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	}
	const model = "model-00000002.safetensors"
	want, err := os.ReadFile(filepath.Join(tinyRun(t), model))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, model)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the model is another one than that of a run that was not stopped, %v", err)
	}
	cfg.Net.Channels++
	_, err = e.Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
	wantError(t, err, "net.channels is 4 there and 5 here", false)
}

// What is wrong with a configuration is found before anything is made.
func TestTrainRefuses(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"net.channels is 0": func(c *Config) { c.Net.Channels = 0 },
		"the configuration is for connect4, not for tict": func(c *Config) { c.Game = "connect4" },
		`game "chess" is unknown`:                         func(c *Config) { c.Game = "chess" },
		"eval.against: player":                            func(c *Config) { c.Eval.Against = "lizard" },
		"replay.window is 10, allowed are train.batch_size": func(c *Config) {
			c.Replay.Window, c.Replay.MinWindow, c.Train.BatchSize = 10, 10, 16
		},
		"eval.opening_plies is 20: no game of tictactoe": func(c *Config) { c.Eval.OpeningPlies, c.Train.EvaluateEvery = 20, 1 },
	} {
		cfg, dir := tinyConfig(), filepath.Join(t.TempDir(), "run")
		change(&cfg)
		_, err := open(t, "tictactoe").Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
		wantError(t, err, want, true)
		if fileExists(dir) {
			t.Errorf("%s: there is a run directory", want)
		}
	}
}

// A run that cannot let workers in says why, and leaves nothing open.
func TestTrainRefusesADamagedRunID(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, runIDFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := open(t, "tictactoe").Train(t.Context(), TrainConfig{Config: tinyConfig(), Dir: dir})
	if err == nil || !strings.Contains(err.Error(), runIDFile) {
		t.Errorf("error %v, want one that names %s", err, runIDFile)
	}
}

// Whoever reads the invitation knows how to join.
func TestInvitation(t *testing.T) {
	cfg, dir := tinyConfig(), filepath.Join(t.TempDir(), "run")
	cfg.Cluster.Listen, cfg.Cluster.Local = "127.0.0.1:0", false
	run, err := open(t, "tictactoe").Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	i, ok := run.Invitation()
	token := filepath.Join(dir, "token")
	if !ok || !run.Distributed() || i.Run != "" || i.Token != token || !fileExists(token) ||
		i.Command != "tengen worker --server "+i.Server+" --token-file "+token {
		t.Errorf("%+v", i)
	}
	if len(run.Workers()) != 0 {
		t.Errorf("workers %v", run.Workers())
	}
	if err := run.Close(); err != nil {
		t.Error(err)
	}
}

// serverElsewhere starts a NATS server that whoever has the token may use, and returns its URL.
func serverElsewhere(t *testing.T, token string) (url string) {
	t.Helper()
	return natstest.Start(t, &server.Options{
		JetStream: true, StoreDir: t.TempDir(), NoSigs: true, Host: "127.0.0.1", Port: server.RANDOM_PORT, Authorization: token,
	}).ClientURL()
}

// A run on a server elsewhere does not give its own password away, nor does it say who may play there.
func TestInvitationElsewhere(t *testing.T) {
	cfg, dir := tinyConfig(), filepath.Join(t.TempDir(), "run")
	url := serverElsewhere(t, "sesame")
	cfg.Cluster.Server, cfg.Cluster.TokenFile = url, filepath.Join(t.TempDir(), "trainer")
	write := func(token string) {
		t.Helper()
		if err := os.WriteFile(cfg.Cluster.TokenFile, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("sesame")
	run, err := open(t, "tictactoe").Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	command := "tengen worker --server " + url + " --run run --token-file "
	if i, ok := run.Invitation(); !ok || i.Token != cfg.Cluster.TokenFile || i.Command != command+i.Token {
		t.Errorf("%+v", i)
	}
	write("trainer:sesame")
	if i, ok := run.Invitation(); !ok || i.Token != "" || i.Command != command+"token" {
		t.Errorf("%+v", i)
	}
	_, err = AddWorker(dir, "gpu-1")
	wantError(t, err, "whose files say who may play: change workers.conf there", false)
	_, err = RevokeWorker(dir, "gpu-1")
	wantError(t, err, "whose files say who may play: change workers.conf there", false)
}

func TestRun(t *testing.T) {
	run := openRun(t, tinyRun(t))
	s, err := run.Summary(t.Context())
	if err != nil || s.Games != 16 || s.Newest != 16 || s.Damaged != 0 || s.Workers["local"] != 16 {
		t.Errorf("%+v, %v", s, err)
	}
	games, positions, err := run.Count(t.Context(), func(err error) { t.Error(err) })
	if err != nil || games != 16 || positions != s.Searches {
		t.Errorf("%d games, %d positions, %v; want %d", games, positions, err, s.Searches)
	}
	if run.Config.Search.Simulations != 8 || run.Engine.Info().Name != "tictactoe" {
		t.Errorf("%+v", run.Config)
	}
	for text, number := range map[string]uint64{"3": 3, "#1": 0} {
		wanted, err := ParseWanted(text)
		if err != nil {
			t.Fatal(err)
		}
		entry, err := run.Find(t.Context(), wanted)
		if err != nil || wanted.Sequence == 0 && entry.Game.Number != number || wanted.Sequence > 0 && entry.Sequence != wanted.Sequence {
			t.Errorf("%s: %+v, %v", text, entry, err)
			continue
		}
		description, end, err := run.Describe(entry)
		if err != nil || !end.Over && !entry.Game.Resigned || strings.Count(description, "\n") != 2+len(entry.Game.Moves) {
			t.Errorf("%s, %+v, %v", description, end, err)
		}
		if want := strconv.Itoa(len(entry.Game.Moves)) + " moves"; !strings.Contains(DescribeEnd(entry.Game), want) {
			t.Errorf("%q, want %s in it", DescribeEnd(entry.Game), want)
		}
	}
	for text, want := range map[string]string{"three": `"three" is no game`, "#0": `"#0" is no game`, "-1": `"-1" is no game`, "": `"" is no game`} {
		_, err := ParseWanted(text)
		wantError(t, err, want, true)
	}
	for _, wanted := range []Wanted{{Number: 99}, {Sequence: 99}, {Number: 3, Worker: "nobody"}} {
		_, err := run.Find(t.Context(), wanted)
		wantError(t, err, "the log has no such game: it holds the sequence numbers 1 to 16", false)
	}
}

// Exports hold the games that the log holds.
func TestExports(t *testing.T) {
	run, dir := openRun(t, tinyRun(t)), t.TempDir()
	text := filepath.Join(dir, "games.txt")
	if err := run.ExportText(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	searched := 0
	err = run.Games(t.Context(), func(g *replay.Record) error {
		fields := strings.Split(lines[0], "\t")
		p, err := run.Engine.Parse(fields[3])
		if err != nil || fields[0] != strconv.FormatUint(g.Number, 10) || fields[2] != g.Winner() || p.Over && p.Winner() != g.Winner() {
			t.Errorf("%q, %v; the game is %+v", lines[0], err, g)
		}
		lines, searched = lines[1:], searched+g.Searched()
		return nil
	}, nil)
	if err != nil || len(lines) > 0 {
		t.Errorf("%d lines too many, %v", len(lines), err)
	}
	file := filepath.Join(dir, "games.npz")
	if err := run.ExportNPZ(t.Context(), file, searched); err != nil {
		t.Fatal(err)
	}
	arrays, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer arrays.Close()
	if len(arrays.File) != 6 {
		t.Errorf("%d arrays, want 6", len(arrays.File))
	}
	wantError(t, run.ExportNPZ(t.Context(), file, searched+1), "they have changed meanwhile, try again", false)
	if err := run.ExportText(t.Context(), filepath.Join(dir, "no", "such")); err == nil {
		t.Error("written into a folder that is not there")
	}
}

// Whoever reads the log several times reads the same games, however many come meanwhile.
func TestRunIsOfOneMoment(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS(tinyRun(t))); err != nil {
		t.Fatal(err)
	}
	run := openRun(t, dir)
	entry, err := run.Find(t.Context(), Wanted{Sequence: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := run.log.(*natslog.Log).Append(t.Context(), "another", entry.Game); err != nil || n != 17 {
		t.Fatal(n, err)
	}
	if s, err := run.Summary(t.Context()); err != nil || s.Games != 16 {
		t.Errorf("%+v, %v", s, err)
	}
	games, positions, err := run.Count(t.Context(), nil)
	if err != nil || games != 16 {
		t.Errorf("%d games, %v", games, err)
	}
	if err := run.ExportNPZ(t.Context(), filepath.Join(dir, "games.npz"), positions); err != nil {
		t.Error(err)
	}
}

// What is damaged is found, and a folder that is no run is named.
func TestVerifyRun(t *testing.T) {
	v, err := VerifyRun(t.Context(), tinyRun(t))
	if err != nil || v.Games != 16 || len(v.Problems) > 0 || v.Text("run") != "run: 16 games intact, "+Plural(v.Files, "file")+" read, 0 problems\n" {
		t.Errorf("%+v, %v", v, err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS(tinyRun(t))); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(dir, "model-00000001.safetensors")
	if err := os.Truncate(model, 100); err != nil {
		t.Fatal(err)
	}
	if v, err = VerifyRun(t.Context(), dir); err != nil || v.Games != 16 || len(v.Problems) != 1 || v.Problems[0].File != model {
		t.Errorf("%+v, %v", v, err)
	}
	for _, c := range []struct {
		want  string
		spoil func() error
	}{
		{"has no games: there is no folder", func() error { return os.RemoveAll(filepath.Join(dir, gamesFolder)) }},
		{`game "chess" is unknown`, func() error { return os.WriteFile(filepath.Join(dir, configFile), []byte("game: chess"), 0o644) }},
		{`unknown key "gaem"`, func() error { return os.WriteFile(filepath.Join(dir, configFile), []byte("gaem: 1"), 0o644) }},
		{"is no run directory", func() error { return os.RemoveAll(dir) }},
	} {
		if err := c.spoil(); err != nil {
			t.Fatal(err)
		}
		_, err := VerifyRun(t.Context(), dir)
		wantError(t, err, c.want, false)
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 games", 1: "1 game", 2: "2 games", 21: "21 games"} {
		if got := Plural(n, "game"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
