package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"tengen/engine"
	"tengen/players"
	"tengen/selfplay/cluster/clustertest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, append(clustertest.Leaks, goleak.Cleanup(func(code int) {
		os.RemoveAll(filepath.Dir(sharedRun.dir))
		os.Exit(code)
	}))...)
}

// open opens the engine of a game.
func open(t testing.TB, name string) Game {
	t.Helper()
	e, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// spec reads the SPEC of a player.
func spec(t testing.TB, text string) players.Spec {
	t.Helper()
	s, err := players.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wantError checks what an error says, and whether it is one of what was asked for.
func wantError(t testing.TB, err error, part string, input bool) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want one that says %q", err, part)
	} else if errors.As(err, new(engine.InputError)) != input {
		t.Errorf("error %q is an InputError: %v, want %v", err, !input, input)
	}
}

// tinyConfig is that of a run of tic-tac-toe that takes a fraction of a second.
func tinyConfig() Config {
	content, err := os.ReadFile("runtest/tiny.yaml")
	if err != nil {
		panic(err)
	}
	cfg, err := ParseConfig(content)
	if err != nil {
		panic(err)
	}
	return cfg
}

// sharedRun is a run of tinyConfig that several tests read.
var sharedRun struct {
	once sync.Once
	dir  string
	err  error
}

// tinyRun is the directory of a finished run of tinyConfig, which no test may change.
func tinyRun(t testing.TB) string {
	t.Helper()
	sharedRun.once.Do(func() {
		folder, err := os.MkdirTemp("", "tengen")
		if err != nil {
			sharedRun.err = err
			return
		}
		sharedRun.dir = filepath.Join(folder, "run")
		run, err := Train(t.Context(), TrainConfig{Config: tinyConfig(), Dir: sharedRun.dir})
		if err == nil {
			err = errors.Join(run.Run(t.Context()), run.Close())
		}
		sharedRun.err = err
	})
	if sharedRun.err != nil {
		t.Fatal(sharedRun.err)
	}
	return sharedRun.dir
}
