// Package runtest provides runs for tests.
package runtest

import (
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"tengen/run"
	"tengen/run/games"
	"tengen/selfplay/cluster/clustertest"
	"tengen/train"
)

//go:embed tiny.yaml
var tiny []byte

// Main registers the games that come with tengen, runs a package's tests and removes the run that they share. It is an
// error if goroutines are left.
func Main(m *testing.M) {
	games.Register()
	goleak.VerifyTestMain(m, append(clustertest.Leaks, goleak.Cleanup(func(code int) {
		RemoveRun()
		os.Exit(code)
	}))...)
}

// RemoveRun removes the run made by Run.
func RemoveRun() { os.RemoveAll(shared.folder) }

// Config configures a tic-tac-toe run that takes a fraction of a second.
func Config() run.Config {
	c, err := run.ParseConfig(tiny)
	if err != nil {
		panic(err) // the file is embedded
	}
	return c
}

// Train opens a run. observe may be nil.
func Train(t testing.TB, c run.Config, dir string, observe func(train.Event)) *run.Training {
	t.Helper()
	training, err := run.Train(t.Context(), run.TrainConfig{Config: c, Dir: dir, Observe: observe})
	if err != nil {
		t.Fatal(err)
	}
	return training
}

var shared struct {
	once   sync.Once
	folder string // contains dir
	dir    string // "" before the run has finished
}

// Run returns the directory of a finished run of Config, named "tiny". Tests share it and must not change it. TestMain
// must call Main or RemoveRun.
func Run(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() {
		var err error
		if shared.folder, err = os.MkdirTemp("", "tengen"); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(shared.folder, "tiny")
		run := Train(t, Config(), dir, nil)
		if err := errors.Join(run.Run(t.Context()), run.Close()); err != nil {
			t.Fatal(err)
		}
		shared.dir = dir
	})
	if shared.dir == "" {
		t.Fatal("the run that the tests share has failed in another test")
	}
	return shared.dir
}
