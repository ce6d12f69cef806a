package engine

import (
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tengen/arena"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens the engine of a game.
func open(t testing.TB, name string) Engine {
	t.Helper()
	e, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// spec reads the SPEC of a player.
func spec(t testing.TB, text string) arena.Spec {
	t.Helper()
	s, err := arena.ParseSpec(text)
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
	} else if errors.As(err, new(InputError)) != input {
		t.Errorf("error %q is an InputError: %v, want %v", err, !input, input)
	}
}

// tinyConfig is that of a run of tic-tac-toe that takes a fraction of a second.
func tinyConfig() Config {
	cfg := DefaultConfig()
	cfg.Game = "tictactoe"
	cfg.Net.Blocks, cfg.Net.Channels, cfg.Net.PolicyChannels, cfg.Net.ValueChannels, cfg.Net.ValueHidden = 1, 4, 2, 1, 8
	cfg.Search.Simulations = 8
	cfg.Selfplay.GamesPerWorker, cfg.Selfplay.CacheMegabytes, cfg.Selfplay.TemperaturePlies = 4, 1, 4
	cfg.Train.Iterations, cfg.Train.GamesPerIteration, cfg.Train.BatchSize, cfg.Train.EvaluateEvery = 2, 8, 16, 0
	cfg.Train.Decay = "none"
	return cfg
}
