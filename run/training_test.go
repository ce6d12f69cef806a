package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/internal/fulltest"
)

// A run may go on under another value of a key that changes its length, speed or measurement, and of no other.
func TestCompatible(t *testing.T) {
	free := []string{
		"selfplay.workers", "selfplay.games_per_worker", "selfplay.cache_megabytes",
		"train.iterations", "train.evaluate_every", "train.keep", "train.tensorboard",
		"eval.against", "eval.games", "eval.simulations", "eval.opening_plies",
		"eval.ladder_games", "eval.grade_positions", "eval.exam_positions", "replay.keep_games",
	}
	for _, s := range DefaultConfig().Settings() {
		if strings.HasPrefix(s.Key, "cluster.") {
			free = append(free, s.Key)
		}
	}
	measuredByGate := []string{"eval.simulations", "eval.opening_plies"}
	for _, gateGames := range []string{"0", "10"} {
		gate := "train.gate.games=" + gateGames
		before := configWith(t, gate)
		if err := compatible(before.YAML(), before); err != nil {
			t.Fatalf("nothing has changed: %v", err)
		}
		for _, s := range before.Settings() {
			if gateGames != "0" && !fulltest.On && !strings.HasPrefix(s.Key, "eval.") {
				continue // the gate makes no difference there
			}
			err := configWith(t, gate, s.Key+"="+another(s)).goesOnFrom(before)
			allowed := slices.Contains(free, s.Key) && !(gateGames != "0" && slices.Contains(measuredByGate, s.Key))
			switch {
			case allowed && err != nil:
				t.Errorf("gate of %s games: %v", gateGames, err)
			case !allowed && err == nil:
				t.Errorf("gate of %s games: %s may change", gateGames, s.Key)
			case !allowed && !strings.HasPrefix(err.Error(), fmt.Sprintf("%s is %s there and %s here: ", s.Key, s.Value, another(s))):
				t.Errorf("gate of %s games: %s: the error is %v", gateGames, s.Key, err)
			}
		}
	}
}

// A configuration that another version of the program has saved may have keys that this one does not know.
func TestCompatibleNamesTheUnknownKey(t *testing.T) {
	err := compatible([]byte("net:\n  chanels: 4\n"), DefaultConfig())
	if want := `unknown key "net.chanels"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one that says %s", err, want)
	}
}

// configWith is the default configuration with values for keys, as "key=value".
func configWith(t *testing.T, assignments ...string) Config {
	t.Helper()
	cfg := DefaultConfig()
	for _, a := range assignments {
		key, text, _ := strings.Cut(a, "=")
		if _, err := cfg.SetText(key, text); err != nil {
			t.Fatal(err)
		}
	}
	return cfg
}

// another is a value of the type of a setting that no setting has.
func another(s Setting) string {
	switch {
	case strings.HasPrefix(s.Value, "["):
		return "[77]"
	case strings.ContainsAny(s.Value[:1], "-0123456789"):
		return "77"
	case s.Value == "true":
		return "false"
	case s.Value == "false":
		return "true"
	}
	return "something"
}

func TestReachable(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	for url, want := range map[string]string{
		"nats://127.0.0.1:4222": "nats://127.0.0.1:4222",
		"nats://[::]:4222":      "nats://" + host + ":4222",
		"nats://0.0.0.0:5":      "nats://" + host + ":5",
	} {
		if got := reachable(url); got != want {
			t.Errorf("%s becomes %s, want %s", url, got, want)
		}
	}
}

// A run that is to grade its models or put an exam to them but cannot says so, and how it can be told not to.
func TestWarnsOfWhatIsNotMeasured(t *testing.T) {
	const grade, exam = "eval.grade_positions=0", "eval.exam_positions=0"
	for _, test := range []struct {
		game     string
		set      []string
		warnings []string // what they contain
	}{
		{"mnk:9,9,5", nil, []string{grade}},
		{"mnk:9,9,5", []string{"eval.grade_positions=0"}, nil},
		{"mnk:9,9,5", []string{"eval.exam_positions=300"}, []string{grade, exam}},
		{"mnk:9,9,5", []string{"eval.exam_positions=300", "train.evaluate_every=0"}, nil},
		{"tictactoe", []string{"eval.exam_positions=300"}, []string{exam}},
		{"connect4", []string{"eval.exam_positions=300"}, nil},
		{"tictactoe", nil, nil},
	} {
		cfg := configWith(t, append([]string{"game=" + test.game, "net.blocks=1", "net.channels=4", "eval.against=random",
			"selfplay.workers=1", "selfplay.games_per_worker=1", "selfplay.cache_megabytes=1"}, test.set...)...)
		var warnings []string
		warn := func(err error) {
			if strings.Contains(err.Error(), "eval.") { // where much is going on, the game log may warn of itself
				warnings = append(warnings, err.Error())
			}
		}
		run, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: filepath.Join(t.TempDir(), "run"), Warn: warn})
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(warnings, test.warnings, strings.Contains) {
			t.Errorf("%s with %q: warnings %q", test.game, test.set, warnings)
		}
	}
}
