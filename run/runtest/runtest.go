// Package runtest has runs for tests of what stands on package run.
package runtest

import (
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"tengen/run"
	"tengen/train"
)

//go:embed tiny.yaml
var tiny []byte

// Config is that of a run of tic-tac-toe that takes a fraction of a second.
func Config() run.Config {
	c, err := run.ParseConfig(tiny)
	if err != nil {
		panic(err) // the file is part of the package
	}
	return c
}

// Train opens a run in a directory. observe may be nil.
func Train(t testing.TB, c run.Config, dir string, observe func(train.Event)) *run.Training {
	t.Helper()
	training, err := run.Train(t.Context(), run.TrainConfig{Config: c, Dir: dir, Observe: observe})
	if err != nil {
		t.Fatal(err)
	}
	return training
}

// shared is the run of all tests of a process.
var shared struct {
	once   sync.Once
	folder string
	done   bool
}

// Run is the directory, "tiny" in a folder of its own, of a finished run of Config, which no test may change. TestMain has to call
// RemoveRun.
func Run(t testing.TB) string {
	t.Helper()
	dir := func() string { return filepath.Join(shared.folder, "tiny") }
	shared.once.Do(func() {
		var err error
		if shared.folder, err = os.MkdirTemp("", "tengen"); err != nil {
			t.Fatal(err)
		}
		run := Train(t, Config(), dir(), nil)
		if err := errors.Join(run.Run(t.Context()), run.Close()); err != nil {
			t.Fatal(err)
		}
		shared.done = true
	})
	if !shared.done {
		t.Fatal("the run that the tests share has failed in another test")
	}
	return dir()
}

// RemoveRun removes what Run has made.
func RemoveRun() { os.RemoveAll(shared.folder) }
