package run

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Errors name the key that the game does not allow.
func TestConfigFitsTheGame(t *testing.T) {
	const conv, pooled = "net.policy_head=conv", "net.value_head=pooled"
	for _, test := range []struct {
		game string
		set  []string
		want string // part of the error, "" without one
	}{
		{"connect4", []string{"net.occupancy_weight=0.15"}, ""},
		{"connect4", []string{"replay.exact_plies=30"}, ""},
		{"connect4", []string{"replay.exact_plies=31"}, "replay.exact_plies is 31, but the solver of connect4 is quick only with at most 30 plies left"},
		{"gomoku", []string{"replay.exact_plies=15"}, "at most 14 plies left"},
		{"tictactoe", []string{"replay.exact_plies=9"}, ""},
		{"othello", []string{"replay.exact_plies=14"}, "replay.exact_plies is 14, but no ply says where the solver of othello is quick: choose 0"},
		{"go:3,0", []string{"replay.exact_plies=1"}, "no ply says"},
		{"othello", nil, ""},
		{"mnk:15,15,5,exact", nil, ""},
		{"tictactoe", []string{conv, pooled}, ""},
		{"mnk:4,5,3", []string{conv, pooled}, ""},
		{"connect4", []string{conv, pooled}, `net.policy_head is "conv", but the moves of connect4 are not`},
	} {
		err := configWith(t, append(test.set, "game="+test.game)...).Validate()
		if test.want != "" {
			wantError(t, err, test.want, false)
		} else if err != nil {
			t.Errorf("%s with %q: %v", test.game, test.set, err)
		}
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
		cfg := readConfig(t, file)
		if err := cfg.Validate(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if cfg.Train.EvaluateEvery == 0 {
			t.Errorf("%s never evaluates, so its strength stays unknown", file)
		}
	}
}

// A valid configuration can be written and read again.
func FuzzConfig(f *testing.F) {
	for _, file := range append(examples(f), "../config.yaml") {
		content, err := os.ReadFile(file)
		noError(f, err)
		f.Add(content)
	}
	for _, text := range []string{
		"", "5", "net:\n  channels: 1e99", "net.channels: 3", "'': {'': 1}", "a: &a [*a]", "x: &x {x: 1}\nnet: {<<: *x}", "seed: .inf",
		"eval: {against: !!binary bmV0Ov8=}", "selfplay: {openings: {deep_plies: {}}}",
	} {
		f.Add([]byte(text))
	}
	for _, c := range malformed {
		f.Add([]byte(c.content))
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
		noError(t, again.Validate())
		if !slices.Equal(again.Settings(), cfg.Settings()) {
			t.Errorf("written as\n%s\nread as\n%s", cfg.YAML(), again.YAML())
		}
	})
}
