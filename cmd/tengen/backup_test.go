package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/fulltest"
	"tengen/train/rundir"
)

// A run that trains is copied again and again, while it commits iterations and drops old games. Each copy is whole, and goes on to
// the same bytes as a run that nobody has copied. So does the run itself.
func TestBackupWhileTraining(t *testing.T) {
	folder := t.TempDir()
	whole, run := filepath.Join(folder, "whole"), filepath.Join(folder, "run")
	command := func(dir, iterations string) []string {
		return []string{"train", "--config", tiny, "--run", dir, "--set", "train.iterations=" + iterations, "--set", "train.keep=3",
			"--set", "replay.window=100", "--set", "replay.min_window=100"} // so that an iteration drops the games before the last but one
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
	metrics, err := rundir.ReadMetrics(run)
	if err != nil {
		t.Fatal(err)
	}
	iterations := fmt.Sprint(len(metrics) + 2)
	mustCLI(t, command(whole, iterations)...)
	for _, dir := range append(copies, run) {
		code, out, errOut := cli(t.Context(), nil, command(dir, iterations)...)
		if code != exitOK || errOut != "" || !strings.Contains(out, "going on in ") {
			t.Fatalf("%s: exit status %d\n%s%s", dir, code, out, errOut)
		}
		compareRuns(t, whole, dir)
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".tengen-*")); err != nil || len(left) > 0 {
		t.Errorf("%q are left (%v)", left, err)
	}
}

// The copy of a run with workers has its secrets, readable by whoever could read them before, its name and its spool.
func TestBackupOfADistributedRun(t *testing.T) {
	dir, to := earlierRun(t, "workers-1"), filepath.Join(t.TempDir(), "copy")
	for _, name := range []string{"run-id", "token"} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			if err := os.WriteFile(path, []byte("secret\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	mustCLI(t, "replay", "backup", dir, to)
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the copy of a folder that only its owner can read: %v, %v", info.Mode(), err)
	}
	if got, want := exportedText(t, to), exportedText(t, dir); got != want {
		t.Errorf("the games are\n%s\nwant\n%s", got, want)
	}
	for _, name := range []string{"run-id", "token", "worker/worker.json"} {
		want, got := filepath.Join(dir, name), filepath.Join(to, name)
		if string(readFile(t, want)) != string(readFile(t, got)) {
			t.Errorf("%s differs", name)
		}
	}
	for _, name := range []string{"run-id", "token"} {
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || info.Mode().Perm() != fs.FileMode(0o600) {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	code, out, errOut := cli(t.Context(), nil, "train", "--run", to, "--set", "train.iterations=5")
	if code != exitOK || strings.Contains(errOut, "lost") || !strings.Contains(out, "after iteration 3 of 5\n") {
		t.Errorf("exit status %d\n%s%s", code, out, errOut)
	}
}
