package run

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"tengen/engine"
	"tengen/internal/errtest"
	"tengen/players/playertest"
	"tengen/selfplay/cluster/clustertest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, append(clustertest.Leaks, goleak.Cleanup(func(code int) {
		os.RemoveAll(sharedRun.folder)
		os.Exit(code)
	}))...)
}

func open(t testing.TB, name string) engine.Game {
	t.Helper()
	e, err := engine.Open(name)
	noError(t, err)
	return e
}

var noError, spec = errtest.NoError, playertest.Spec

// wantError checks for a part of an error, and whether it is an InputError.
func wantError(t testing.TB, err error, part string, input bool) {
	t.Helper()
	errtest.Want(t, err, part)
	if errors.As(err, new(engine.InputError)) != input {
		t.Errorf("error %q is an InputError: %v, want %v", err, !input, input)
	}
}

// readConfig reads a configuration file.
func readConfig(t testing.TB, file string) Config {
	t.Helper()
	content, err := os.ReadFile(file)
	noError(t, err)
	cfg, err := ParseConfig(content)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return cfg
}

// tinyConfig configures a tic-tac-toe run that takes a fraction of a second.
func tinyConfig(t testing.TB) Config {
	t.Helper()
	return readConfig(t, "runtest/tiny.yaml")
}

// trainRun trains a run to its end.
func trainRun(t testing.TB, c TrainConfig) {
	t.Helper()
	run, err := Train(t.Context(), c)
	if err == nil {
		err = errors.Join(run.Run(t.Context()), run.Close())
	}
	noError(t, err)
}

var sharedRun struct {
	once   sync.Once
	folder string // of dir
	dir    string // "" before the run has finished
}

// tinyRun returns the directory of a finished run of tinyConfig. Tests share it and must not change it.
func tinyRun(t testing.TB) string {
	t.Helper()
	sharedRun.once.Do(func() {
		var err error
		if sharedRun.folder, err = os.MkdirTemp("", "tengen"); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(sharedRun.folder, "run")
		trainRun(t, TrainConfig{Config: tinyConfig(t), Dir: dir})
		sharedRun.dir = dir
	})
	if sharedRun.dir == "" {
		t.Fatal("the run that the tests share has failed in another test")
	}
	return sharedRun.dir
}

// copyTiny returns the directory of a copy of tinyRun.
func copyTiny(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	noError(t, os.CopyFS(dir, os.DirFS(tinyRun(t))))
	return dir
}
