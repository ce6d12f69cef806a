package run

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/eval"
	"tengen/net"
	"tengen/train/checkpoint"
)

// earlierRun returns a copy of a run that an earlier version has trained.
func earlierRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "earlier")
	noError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "earlier"))))
	return dir
}

// The run of an earlier version is refused in one sentence by everything but its models, which play. Its files stay as they
// are.
func TestEarlierRun(t *testing.T) {
	dir := earlierRun(t)
	before := sums(t, dir)
	want := "the run in " + dir + " is of another version of tengen (format 3, semantics 1; this one has 5 and 4): use the program that made it"
	for name, do := range map[string]func() error{
		"ReadConfig":  func() error { _, _, err := ReadConfig(dir); return err },
		"Info":        func() error { _, err := Info(dir); return err },
		"OpenRun":     func() error { _, err := OpenRun(t.Context(), dir); return err },
		"VerifyRun":   func() error { _, err := VerifyRun(t.Context(), dir); return err },
		"RepairRun":   func() error { _, err := RepairRun(t.Context(), dir, func(error) {}); return err },
		"AddWorker":   func() error { _, err := AddWorker(dir, "far"); return err },
		"ListWorkers": func() error { _, err := ListWorkers(t.Context(), dir); return err },
		"Train":       func() error { _, err := Train(t.Context(), TrainConfig{Config: DefaultConfig(), Dir: dir}); return err },
	} {
		if err := do(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
	if !maps.Equal(sums(t, dir), before) {
		t.Error("the run has changed")
	}
	m, _, err := engine.OpenModel(dir)
	noError(t, err)
	plays(t, m)
	_, err = Info(filepath.Join(dir, checkpoint.ModelName(2)))
	noError(t, err)
}

// sums returns the SHA-256 of the files in a directory but for its lock, by name.
func sums(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	noError(t, filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == checkpoint.LockFile {
			return err
		}
		content, err := os.ReadFile(file)
		sums[strings.TrimPrefix(file, dir)] = fmt.Sprintf("%x", sha256.Sum256(content))
		return err
	}))
	return sums
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
	if result, err := e.Match(t.Context(), c, player, player, nil); err != nil || result.Total().Games() != 2 {
		t.Errorf("a match of the model: %+v, %v", result, err)
	}
}
