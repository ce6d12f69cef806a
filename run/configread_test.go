package run

import (
	"strings"
	"testing"

	"tengen/mcts"
)

// A mistake in a file is named, however it is written.
func TestParseConfigRefuses(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{"selfplay: {workers: 3}\nselfplay.workers: 3", "selfplay.workers is given twice"},
		{"Seed: 3\nseed: 4", "seed is given twice"},
		{"net: {Channels: 3, channels: 4}", "net.channels is given twice"},
		{"net.channels: 3\nnet: {channels: 4}", "net.channels is given twice"},
		{"selfplay: {workers: }", "selfplay.workers has no value"},
		{"selfplay: {workers: many}", `selfplay.workers is "many"`},
		{"selfplay: {workers: {a: 1}}", "selfplay.workers has no value"},
		{"net: {stack: [8, null]}", "net.stack[1] is <nil>, allowed are whole numbers"},
		{"net: {stack: [8, 1.5]}", "net.stack[1] is 1.5, allowed are whole numbers"},
		{"net: {stack: [[8]]}", "net.stack[0] is [8], allowed are whole numbers"},
		{"net: {stack: {a: 1}}", "net.stack has no value"},
		{"net:", `"net" is a section with keys of its own`},
		{"net: {1: 2}", `"net" is a section with keys of its own`},
		{"train: {gate: 1}", `"train.gate" is a section with keys of its own: write train.gate.KEY`},
		{"seed: null", "seed has no value"},
		{"NET: {Chanels: 3}", `unknown key "net.chanels": allowed here are blocks, channels`},
		{"no such: 3", `unknown key "no such"`},
		{"seed: -1", "seed is -1, allowed are whole numbers from 0 on"},
		{"train: {learning_rate: '0.1'}", `train.learning_rate is "0.1", allowed are numbers`},
		{"cluster: {local: 1}", "cluster.local is 1, allowed are true and false"},
	} {
		if cfg, err := ParseConfig([]byte(c.content)); err == nil {
			t.Errorf("%q is taken for\n%s", c.content, cfg.YAML())
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %q, want one that says %q", c.content, err, c.want)
		}
	}
}

// Keys may be written in capitals and with dots.
func TestParseConfigTakes(t *testing.T) {
	want := DefaultConfig()
	want.Selfplay.GamesPerWorker, want.Net.Stack, want.Seed, want.Train.LearningRate = 7, []int{8, 16}, 1<<63, 2
	for _, content := range []string{
		"selfplay: {games_per_worker: 7}\nnet: {stack: [8, 16]}\nseed: 9223372036854775808\ntrain: {learning_rate: 2}",
		"SELFPLAY: {Games_per_worker: 7}\nNet.Stack: [8, 16]\nseed: 9223372036854775808\nTrain: {learning_rate: 2.0}",
		"selfplay.games_per_worker: 7.0\nnet: {stack: [8.0, 16]}\nSEED: 0x8000000000000000\ntrain.learning_rate: 2",
	} {
		got, given, err := ParseSettings([]byte(content))
		if err != nil {
			t.Errorf("%q: %v", content, err)
			continue
		}
		if here, there := got.differences(want); len(here) > 0 {
			t.Errorf("%q: %v, want %v", content, here, there)
		}
		for _, key := range []string{"selfplay.games_per_worker", "net.stack", "seed", "train.learning_rate"} {
			if _, ok := given[key]; !ok || len(given) != 4 {
				t.Errorf("%q: given is %v, want %s in it", content, given, key)
			}
		}
	}
}

// SetText changes one key.
func TestSetText(t *testing.T) {
	cfg := DefaultConfig()
	if value, err := cfg.SetText("Selfplay.Games_per_worker", "5"); value != 5 || err != nil {
		t.Errorf("%v, %v", value, err)
	}
	here, _ := cfg.differences(DefaultConfig())
	if want := (Setting{"selfplay.games_per_worker", "5"}); len(here) != 1 || here[0] != want {
		t.Errorf("changed are %v, want %v", here, want)
	}
}

// The settings of the search, and no others, take the place of a model's.
func TestSearchWith(t *testing.T) {
	trained := mcts.Default()
	trained.Simulations, trained.CInit = 3, 7
	if SearchWith(map[string]any{"net.channels": 5}) != nil {
		t.Error("settings of the network change the search")
	}
	got := SearchWith(map[string]any{"net.channels": 5, "search.simulations": 40})(trained)
	want := trained
	want.Simulations = 40
	if got != want {
		t.Errorf("the search is %+v, want %+v", got, want)
	}
}
