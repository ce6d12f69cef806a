package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A run continues only if no other keys than those of its length, speed and measurements change.
func TestCheckResume(t *testing.T) {
	mutable := []string{
		"selfplay.workers", "selfplay.games_per_worker", "selfplay.cache_megabytes",
		"train.iterations", "train.evaluate_every", "train.keep",
		"eval.against", "eval.games", "eval.simulations",
		"eval.grade_positions", "eval.exam_positions", "compute.device", "replay.keep_games",
	}
	for _, s := range DefaultConfig().Settings() {
		if strings.HasPrefix(s.Key, "cluster.") {
			mutable = append(mutable, s.Key)
		}
	}
	before := DefaultConfig()
	if _, err := (TrainConfig{Config: before}).checkResume(before.YAML(), nil); err != nil {
		t.Fatalf("nothing has changed: %v", err)
	}
	for _, s := range before.Settings() {
		cfg := configWith(t, s.Key+"="+another(t, s))
		value := oneLineYAML(cfg.Values()[s.Key])
		changed, err := TrainConfig{Config: cfg, Dir: "d"}.checkResume(before.YAML(), nil)
		allowed := slices.Contains(mutable, s.Key)
		switch {
		case allowed && err != nil:
			t.Error(err)
		case allowed && !slices.Equal(changed, []string{fmt.Sprintf("%s %s instead of %s", s.Key, value, s.Value)}):
			t.Errorf("%s: changed %q", s.Key, changed)
		case !allowed && err == nil:
			t.Errorf("%s may change", s.Key)
		case !allowed && !strings.HasPrefix(err.Error(), fmt.Sprintf("%s is %s here, but %s in the run in d, ", s.Key, value, s.Value)):
			t.Errorf("%s: the error is %v", s.Key, err)
		}
	}
	_, err := TrainConfig{Config: DefaultConfig()}.checkResume([]byte("net: {chanels: 4}"), nil)
	wantError(t, err, `unknown key "net.chanels"`, false)
}

// configWith changes the default configuration by "key=value".
func configWith(t *testing.T, assignments ...string) Config {
	t.Helper()
	values := map[string]any{}
	for _, a := range assignments {
		key, text, _ := strings.Cut(a, "=")
		value, err := ParseValue(key, text)
		noError(t, err)
		values[key] = value
	}
	return DefaultConfig().With(values)
}

// another returns another valid value for a setting.
func another(t *testing.T, s Setting) string {
	t.Helper()
	for _, text := range []string{"1", "0", "-0.5", "0.5", "true", "false", "something", "conv", "pooled", "2"} {
		if _, err := ParseValue(s.Key, text); text != s.Value && err == nil {
			return text
		}
	}
	t.Fatalf("%v: no other value", s)
	return ""
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

// A run warns of measurements that its game does not allow.
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
		{"go:5", nil, []string{grade}},
		{"go:5", []string{"eval.grade_positions=0"}, nil},
	} {
		cfg := configWith(t, append([]string{"game=" + test.game, "net.blocks=1", "net.channels=4", "eval.against=random",
			"selfplay.workers=1", "selfplay.games_per_worker=1", "selfplay.cache_megabytes=1"}, test.set...)...)
		var warnings []string
		warn := func(err error) {
			if strings.Contains(err.Error(), "eval.") { // under load, the game log may warn too
				warnings = append(warnings, err.Error())
			}
		}
		run, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: filepath.Join(t.TempDir(), "run"), Warn: warn})
		if err != nil || run.Close() != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(warnings, test.warnings, strings.Contains) {
			t.Errorf("%s with %q: warnings %q", test.game, test.set, warnings)
		}
	}
}

// A run warns once if the openings take most of its games.
func TestWarnsOfOpenings(t *testing.T) {
	for plies, want := range map[int]int{0: 0, 8: 1} {
		cfg := configWith(t, "game=tictactoe", "net.blocks=1", "net.channels=4", "train.iterations=2", "train.games_per_iteration=50",
			"train.evaluate_every=0", "search.simulations=4", "selfplay.openings.deep_share=1",
			"selfplay.openings.policy_share=0", fmt.Sprintf("selfplay.openings.deep_plies=%d", plies))
		warnings := 0
		warn := func(err error) {
			if strings.Contains(err.Error(), "were drawn in openings") {
				warnings++
			}
		}
		trainRun(t, TrainConfig{Config: cfg, Dir: filepath.Join(t.TempDir(), "run"), Warn: warn})
		if warnings != want {
			t.Errorf("openings of %d plies: %d warnings, want %d", plies, warnings, want)
		}
	}
}
