package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/engine"
)

// A name stands for a file, a run's newest model or a pretrained one, and a player plays the model that was identified.
func TestIdentifyPlayers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	noError(t, os.CopyFS(dir, os.DirFS(tinyRun(t))))
	first, copied := filepath.Join(dir, "model-00000000.safetensors"), filepath.Join(t.TempDir(), "copy.safetensors")
	content, err := os.ReadFile(first)
	noError(t, err)
	noError(t, os.WriteFile(copied, content, 0o644))
	models, ids, err := IdentifyPlayers(spec(t, "random"), spec(t, "net:"+dir), spec(t, "net:"+first+":5"), spec(t, "net:"+copied), spec(t, "net:connect4"))
	if err != nil || len(models) != 4 || len(ids) != 4 {
		t.Fatalf("%d models, %v, %v", len(models), ids, err)
	}
	for name, want := range map[string]string{
		dir:        " is model 2: 16 games, sha256 ",
		first:      " is model 0: 0 games, sha256 ",
		copied:     " is model 0: 0 games, sha256 " + ids[first].SHA256[:8],
		"connect4": " is model 104 that comes with tengen: 93600 games, sha256 7af1d901",
	} {
		if got := ids[name].String(); !strings.HasPrefix(got, "net:"+name+want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	noError(t, os.RemoveAll(dir))
	e, err := engine.Open("tictactoe")
	noError(t, err)
	if n, err := engine.OpenNetwork(e, dir, engine.PlayerOptions{Models: models}); err != nil || n.Info().Iteration != 2 {
		t.Errorf("the identified model is not the one that plays: %v", err)
	}
	_, _, err = IdentifyPlayers(spec(t, "net:"+dir))
	wantError(t, err, `player "net:`+dir+`": there is no model file`, false)
}

func TestInfo(t *testing.T) {
	dir := tinyRun(t)
	for name, want := range map[string]string{
		dir:                    "iteration 2 of 2, 16 games",
		"net:" + dir:           "[learned 2 iterations, 16 games, ",
		"connect4":             "[rules Drop a disc into a column; it falls to the lowest free cell. Four or more in a row, ",
		"mnk-6x6x4":            "[search forced_nodes: 100]",
		"net:othello":          "[network 4 blocks of 64 channels, 302917 parameters without the heads that only help learning]",
		"net:checkpoints/mine": "",
		"mnk-6x6x5":            "",
	} {
		facts, err := Info(name)
		if (err != nil) != (want == "") || !strings.Contains(fmt.Sprint(facts), want) {
			t.Errorf("%s: %v\n%s", name, err, facts)
		}
	}
	_, err := Info("mnk-6x6x5")
	wantError(t, err, "mnk-6x6x5 is not a model, run directory or game: `tengen info` lists them; did you mean mnk-6x6x4?", true)
}
