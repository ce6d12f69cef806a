package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/fulltest"
	"tengen/selfplay/cluster"
	"tengen/train/checkpoint"
)

// A run that trains is copied again and again, while it commits iterations and drops old games. Each copy is whole, and goes on to
// the same bytes as a run that nobody has copied. So does the run itself.
func TestBackupWhileTraining(t *testing.T) {
	folder := t.TempDir()
	whole, run := filepath.Join(folder, "whole"), filepath.Join(folder, "run")
	command := func(dir, iterations string) []string {
		return []string{"train", "--config", tiny, "--run", dir, "--set", "train.iterations=" + iterations, "--set", "train.keep=3",
			"--set", "replay.window=100", "--set", "replay.min_window=100", "--set", "replay.keep_games=8"}
	}
	p := start(t, command(run, "1000000")...)
	p.readUntil(t, strings.TrimPrefix(firstRow, "\n"))
	var copies []string
	for range fulltest.Pick(1, 4) {
		to := filepath.Join(folder, fmt.Sprint("copy", len(copies)))
		if out := mustCLI(t, "replay", "backup", run, to); !strings.HasSuffix(out, " 0 problems\n") {
			t.Error(out)
		}
		copies = append(copies, to)
	}
	if code, out := p.interrupt(t); code != exitOK {
		t.Errorf("exit status %d\n%s", code, out)
	}
	if p.errOut.Len() > 0 {
		t.Error(&p.errOut)
	}
	metrics, err := checkpoint.ReadMetrics(run)
	if err != nil {
		t.Fatal(err)
	}
	iterations := fmt.Sprint(len(metrics) + 2)
	mustCLI(t, command(whole, iterations)...)
	for _, dir := range append(copies, run) {
		code, out, errOut := cli(t.Context(), nil, command(dir, iterations)...)
		if code != exitOK || errOut != "" || !strings.Contains(out, "continuing ") {
			t.Fatalf("%s: exit status %d\n%s%s", dir, code, out, errOut)
		}
		compareRuns(t, whole, dir)
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".tengen-*")); err != nil || len(left) > 0 {
		t.Errorf("%q are left (%v)", left, err)
	}
}

// The copy of a run with workers has their keys, readable by its owner alone, and continues with the same workers.
func TestBackupOfADistributedRun(t *testing.T) {
	dir, to := tinyRun(t), filepath.Join(t.TempDir(), "copy")
	token := addWorker(t, dir, "far")
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	mustCLI(t, "replay", "backup", dir, to)
	for name, want := range map[string]fs.FileMode{".": 0o700, cluster.WorkersFile: 0o600} {
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s in the copy: %v, %v", name, info.Mode(), err)
		}
	}
	url, wait := startTrain(t, "--run", to, "--set", "train.iterations=4", "--set", "cluster.local=false")
	stop := startWorker(t, url, token)
	wait()
	stop()
	mustCLI(t, "train", "--run", dir, "--set", "train.iterations=4")
	compareModels(t, dir, to)
}
