package run

import (
	"os"
	"path/filepath"
	"testing"

	"tengen/engine"
	"tengen/net"
)

// A network that cannot fit is refused with its size before anything is made, by everything that would make it.
func TestNetworkThatCannotFit(t *testing.T) {
	defer func(usual func() int64) { memoryLimit = usual }(memoryLimit)
	memoryLimit = func() int64 { return 16e9 }
	huge := configWith(t, "net.channels=512", "net.blocks=50", "game=gomoku", "eval.grade_positions=0")
	const want = "parameters takes at least 31.4 GB to train in batches of 256, more than half of the 16.0 GB of memory here: lower net.channels"
	dir := filepath.Join(t.TempDir(), "run")
	_, err := Train(t.Context(), TrainConfig{Config: huge, Dir: dir})
	wantError(t, err, want, true)
	if _, err := os.Stat(dir); err == nil {
		t.Error("a run was begun")
	}

	noError(t, CheckMemory(DefaultConfig()))
	memoryLimit = func() int64 { return 0 } // unknown
	noError(t, CheckMemory(huge))
	noError(t, huge.Validate())
}

// A network that no model file could hold is refused on every machine, before it has played and learned for nothing.
func TestNetworkTooLargeForAFile(t *testing.T) {
	err := configWith(t, "net.channels=1024", "net.blocks=64").Validate()
	wantError(t, err, "parameters, but a model file holds at most 268173312: lower net.channels or net.blocks", false)
}

func TestParameters(t *testing.T) {
	for _, file := range []string{"tictactoe", "connect4-quick", "gomoku"} {
		cfg := readConfig(t, "../examples/"+file+".yaml")
		e, err := engine.Open(cfg.Game)
		noError(t, err)
		if got, want := net.Parameters(cfg.Net, e.Shape()), e.Weights(cfg.Net, cfg.Seed).Count(); got != want {
			t.Errorf("%s: %d parameters, want %d", file, got, want)
		}
	}
}
