package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/eval"
	"tengen/internal/oldkeys"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/train/checkpoint"
)

// earlierRun returns a copy of a run that the last version with all old keys has trained.
func earlierRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "earlier")
	noError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "earlier"))))
	return dir
}

// The run of an earlier version is read, described, verified and copied, its games are read, and its model plays. Only training
// does not continue, and says what to do.
func TestEarlierRun(t *testing.T) {
	dir := earlierRun(t)
	cfg, _, err := ReadConfig(dir)
	noError(t, err)
	if cfg.Game != "tictactoe" || cfg.Search.Simulations != 8 || cfg.Train.L2 != 0.015 {
		t.Errorf("the run's settings are\n%s", cfg.YAML())
	}
	facts, err := Info(dir)
	noError(t, err)
	if text := fmt.Sprint(facts); !strings.Contains(text, "iteration 2 of 2") {
		t.Errorf("the run is described as\n%s", text)
	}
	r, err := OpenRun(t.Context(), dir)
	noError(t, err)
	games := 0
	noError(t, r.Read(t.Context(), 0, func(e replay.Entry) error {
		games++
		return e.Err
	}))
	noError(t, r.Close())
	if games != 8 {
		t.Errorf("%d games, want 8", games)
	}
	if b, err := BackupRun(t.Context(), dir, dir+"-copy"); err != nil || b.Iteration != 2 {
		t.Errorf("a copy of iteration %+v, %v", b, err)
	}
	m, err := OpenModel(dir)
	noError(t, err)
	if !strings.Contains(string(m.Search), `"lcb"`) {
		t.Errorf("the model's header has no old keys: %s", m.Search)
	}
	plays(t, m)
	_, err = Train(context.Background(), TrainConfig{Config: cfg, Dir: dir})
	wantError(t, err, "was trained by a tengen of semantics 1, but this one has 4 and would play or learn otherwise: "+
		"continue the run with the program that began it, or start a new one from its weights with --run and --set train.from=", false)
}

func plays(t *testing.T, m *net.Model) {
	t.Helper()
	e := open(t, m.Game)
	n, err := e.Network(m, engine.PlayerOptions{})
	noError(t, err)
	player, err := e.Player(spec(t, "net:x:2"), engine.PlayerOptions{Network: n})
	noError(t, err)
	c := engine.MatchConfig{MatchConfig: eval.Default()}
	c.Games = 2
	if result, err := player.Match(t.Context(), c, player, nil); err != nil || result.Total().Games() != 2 {
		t.Errorf("a match of the model: %+v, %v", result, err)
	}
}

// A value that nothing has any more is refused by its key, with the version that still has it.
func TestEarlierValues(t *testing.T) {
	dir := earlierRun(t)
	file := filepath.Join(dir, checkpoint.ConfigFile)
	content, err := os.ReadFile(file)
	noError(t, err)
	noError(t, os.WriteFile(file, []byte(strings.Replace(string(content), "lcb: 0", "lcb: 2", 1)), 0o644))
	_, _, err = ReadConfig(dir)
	wantError(t, err, "run.yaml: search.lcb is 2, but search.lcb is gone", false)
	wantError(t, err, "Tengen of "+oldkeys.Version+" reads this file", false)
}

// In a configuration, an old key says what became of it, also in a section that is gone.
func TestOldKeysInAConfiguration(t *testing.T) {
	for _, key := range oldkeys.Names() {
		want := oldkeys.Gone(key)
		wantError(t, new(Config).Set(key, "1"), want, false)
		_, err := ParseConfig([]byte(key + ": 1"))
		wantError(t, err, "line 1: "+want, false)
		if slices.Contains(ConfigKeys(), key) {
			t.Errorf("%s is still a key", key)
		}
	}
	_, err := ParseConfig([]byte("train: {gate: {games: 0}}"))
	wantError(t, err, "line 1: train.gate.games is gone: every model is published", false)
	if selfplay.Semantics < 2 {
		t.Error("the keys went with semantics 2")
	}
}
