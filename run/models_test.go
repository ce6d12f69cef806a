package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/train/checkpoint"
)

func TestModelsInAnEmptyFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"connect4", "connect4.safetensors", "checkpoints/pretrained/connect4.safetensors"} {
		m, _, err := engine.OpenModel(name)
		if err != nil || m.Game != "connect4" {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	if len(engine.RunsHere()) > 0 || len(engine.ModelsHere()) > 0 {
		t.Errorf("here are %v, %v", engine.RunsHere(), engine.ModelsHere())
	}
	for _, name := range []string{"", "chess", "../connect4", "pretrained/connect4", "."} {
		m, _, err := engine.OpenModel(name)
		if err == nil {
			t.Errorf("%q is a model of %s", name, m.Game)
		} else if name != "." && !strings.HasSuffix(err.Error(), name+": tengen comes with breakthrough, breakthrough-8, connect4, connect4-quick, go-7, go-9, gomoku, mnk-6x6x4, mnk-8x8x5, othello") {
			t.Errorf("%q: %v", name, err)
		}
	}
	for game, want := range map[string]string{
		"Connect4:7,6,4": "connect4", "mnk:6,6,4": "mnk-6x6x4", "mnk:8,8,5": "mnk-8x8x5", "gomoku": "gomoku", "mnk:20,20,5": "gomoku",
		"breakthrough": "breakthrough-8", "breakthrough:5,8": "breakthrough-8", "breakthrough:6,6": "breakthrough", "othello": "othello", "othello:12": "othello",
		"go": "go-9", "go:9,5": "go-9", "go:13": "go-9", "go:7,9": "go-7", "go:7": "go-7", "go:5": "go-9", "mnk:10,10,5": "gomoku",
	} {
		if got, err := engine.PretrainedFor(open(t, game)); got != want || err != nil {
			t.Errorf("for %q: %q, %v", game, got, err)
		}
	}
	_, err := engine.PretrainedFor(open(t, "mnk:7,7,3"))
	wantError(t, err, "no model that comes with tengen plays mnk:7,7,3 (breakthrough, breakthrough-8, connect4, connect4-quick, go-7, go-9, gomoku, mnk-6x6x4, mnk-8x8x5, othello)", true)
}

// Files and run directories hide pretrained models of the same name. Other folders do not.
func TestModelPrecedence(t *testing.T) {
	run := tinyRun(t)
	t.Chdir(t.TempDir())
	for _, folder := range []string{filepath.Join("checkpoints", "empty"), "connect4"} {
		noError(t, os.MkdirAll(folder, 0o755))
	}
	wantGame := func(name, want string) {
		t.Helper()
		if m, _, err := engine.OpenModel(name); err != nil || m.Game != want {
			t.Errorf("%s: %v, %v, want a model of %s", name, m, err, want)
		}
	}
	wantGame("connect4", "connect4")
	_, _, err := engine.OpenModel(filepath.Join("checkpoints", "empty"))
	wantError(t, err, "has no model", false)
	for _, to := range []string{"connect4", filepath.Join("checkpoints", "mine")} {
		noError(t, os.CopyFS(to, os.DirFS(run)))
		wantGame(to, "tictactoe")
	}
	if err := os.CopyFS(".", os.DirFS(run)); err != nil { // a run directory itself, with model files
		t.Fatal(err)
	}
	wantGame("model-00000001.safetensors", "tictactoe")
	if got, want := engine.RunsHere(), []string{"connect4", "checkpoints/mine"}; !slices.Equal(got, want) {
		t.Errorf("runs here: %v, want %v", got, want)
	}
	models := engine.ModelsHere()
	if len(models) != 5 || !slices.Contains(models, "model-00000002.safetensors") {
		t.Errorf("models here: %v", models)
	}
	_, _, err = engine.OpenModel("nowhere")
	wantError(t, err, "there is no model file or run directory nowhere: here are connect4, checkpoints/mine, model-00000000.safetensors", false)

	// A run directory without a model hides the pretrained model too.
	for _, name := range models {
		noError(t, os.RemoveAll(name))
	}
	noError(t, os.MkdirAll("connect4", 0o755))
	noError(t, os.WriteFile(filepath.Join("connect4", checkpoint.ConfigFile), nil, 0o644))
	_, _, err = engine.OpenModel("connect4")
	wantError(t, err, "has no model", false)
}

func TestOpenFor(t *testing.T) {
	run := tinyRun(t)
	e, err := engine.OpenFor("", spec(t, "random"), spec(t, "net:"+run), spec(t, "net:connect4"))
	if err != nil || e.Info().Name != "tictactoe" {
		t.Errorf("%v, %v", e, err)
	}
	if e, err = engine.OpenFor("gomoku", spec(t, "net:"+run)); err != nil || e.Info().Name != "gomoku" {
		t.Errorf("%v, %v", e, err)
	}
	_, err = engine.OpenFor("", spec(t, "random"))
	wantError(t, err, "which game?", true)
	_, err = engine.OpenFor("", spec(t, "net:nowhere"))
	wantError(t, err, `player "net:nowhere": there is no model file`, false)
	_, err = engine.OpenFor("chess", spec(t, "random"))
	wantError(t, err, `game "chess" is unknown`, true)

	m, _, err := engine.OpenModel(run)
	noError(t, err)
	m.Game = "chess"
	file := filepath.Join(t.TempDir(), "chess.safetensors")
	noError(t, m.Save(file))
	_, err = engine.OpenFor("", spec(t, "net:"+file))
	wantError(t, err, `game "chess" is unknown`, false)
}
