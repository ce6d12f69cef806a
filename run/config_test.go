package run

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tengen/engine"
)

// Occupancy is for games whose cells are held, which all of them have so far.
func TestOccupancyNeedsCells(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Net.OccupancyWeight = 0.15
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
	boardless := engine.Info{Name: "nim", Actions: 9}
	wantError(t, cfg.suits(boardless), "net.occupancy_weight is 0.15, but nobody holds cells in nim: leave it at 0", false)
	cfg.Net.OccupancyWeight = 0
	if err := cfg.suits(boardless); err != nil {
		t.Error(err)
	}
}

// A mistake in the opponent is found before the run starts.
func TestMinimaxNeedsASmallGame(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Eval.Against = "minimax"
	wantError(t, cfg.Validate(), `eval.against: player "minimax": connect4: the game has too many positions for a table: use solver or alphabeta:8`, true)
	cfg.Game = "tictactoe"
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
}

func examples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("examples: %v, %v", files, err)
	}
	return files
}

func TestExamplesAreValid(t *testing.T) {
	for _, file := range examples(t) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := ParseConfig(content)
		if err == nil {
			err = cfg.Validate()
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if cfg.Train.EvaluateEvery == 0 {
			t.Errorf("%s never evaluates, so nobody would see what it reaches", file)
		}
	}
}

// Whatever is in a file, it is refused with an error or is a configuration that can be written and read again.
func FuzzConfig(f *testing.F) {
	for _, file := range append(examples(f), "../config.yaml") {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	for _, text := range []string{
		"", "5", "- a", "seed: [", "seed: 1\nseed: 2", "net: 3", "net:\n  channels: 1e99", "net.channels: 3", "'': {'': 1}",
		"a: &a [*a]", "x: &x {x: 1}\nnet: {<<: *x}", "seed: 2001-01-01", "eval: {against: !!binary bmV0Ov8=}", "? [a]\n: 3",
		"game: a\n---\ngame: b", "Seed: 3\nseed: 4", "train: {gate: {games: {}}}", "net: {stack: [[1]]}", "seed: .inf",
		"selfplay: {workers: 3}\nSelfplay.workers: 4", "selfplay: {workers: {a: 1}}", "net: {stack: [8, null]}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		cfg, err := ParseConfig(content)
		if err == nil {
			err = cfg.Validate()
		}
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a message")
			}
			return
		}
		again, err := ParseConfig(cfg.YAML())
		if err != nil {
			t.Fatalf("written as\n%s\n%v", cfg.YAML(), err)
		}
		if err := again.Validate(); err != nil {
			t.Error(err)
		}
		if !slices.Equal(again.Settings(), cfg.Settings()) {
			t.Errorf("written as\n%s\nread as\n%s", cfg.YAML(), again.YAML())
		}
	})
}
