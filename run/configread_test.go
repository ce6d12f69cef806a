package run

import (
	"fmt"
	"strings"
	"testing"

	"tengen/mcts"
)

// malformed has files and parts of their errors.
var malformed = []struct{ content, want string }{
	{"selfplay: {workers: 3}\nselfplay.workers: 3", "line 2: selfplay.workers is given twice, also in line 1"},
	{"Seed: 3\nseed: 4", "line 2: seed is given twice, also in line 1"},
	{"net: {Channels: 3, channels: 4}", "line 1: net.channels is given twice"},
	{"net.channels: 3\nnet: {channels: 4}", "line 2: net.channels is given twice"},
	{"selfplay: {workers: }", "line 1: selfplay.workers has no value"},
	{"selfplay:\n  workers: many", `line 2: selfplay.workers is "many"`},
	{"selfplay: {workers: {a: 1}}", "selfplay.workers is {a: 1}, but must be a whole number"},
	{"net: {blocks: 3.7}", "net.blocks is 3.7, but must be a whole number"},
	{"net: {blocks: 65}", "net.blocks is 65, but must be 0 to 64"},
	{"net: {blocks: [8]}", "net.blocks is [8], but must be a whole number"},
	{"net:", `"net" is a section with keys: write net.KEY`},
	{"net: {1: 2}", `unknown key "net.1"`},
	{"selfplay: {openings: 1}", `"selfplay.openings" is a section with keys: write selfplay.openings.KEY`},
	{"seed: null", "seed has no value"},
	{"NET: {Chanels: 3}", `unknown key "net.chanels": did you mean net.channels?`},
	{"no such: 3", `unknown key "no such"`},
	{"seed: -1", "seed is -1, but must be a whole number, 0 or more"},
	{"seed: -1.0", "seed is -1.0, but must be a whole number, 0 or more"},
	{"seed: 1e20", "seed is 1e20, but must be a whole number, 0 or more"},
	{"train: {learning_rate: '0.1'}", `train.learning_rate is "0.1", but must be a number`},
	{"cluster: {local: 1}", "cluster.local is 1, but must be true or false"},
	{"game: 2001-01-01", "game is 2001-01-01, but must be a text"},
	{"? [a]\n: 3", "line 1: a key must be a word"},
	{"- seed", "line 1: a section has keys: write KEY: VALUE"},
	{"seed: 1\n---\nseed: 2", "a line --- begins a second document"},
	{"seed: [", "yaml: line 1: "},
	{"nett: {channels: 3}", `line 1: unknown key "nett": did you mean net?`},
	{"selfplay: {openings: {plies: 1}}", `unknown key "selfplay.openings.plies": did you mean selfplay.opening`},
	{"net: {channels.deep: 1}", `unknown key "net.channels.deep"`},
	{"net:\n  channels: 48a\n  blocks: [1]\nsede: 4", `line 2: net.channels is "48a", but must be a whole number; line 3: net.blocks is [1], but must be a whole number; line 4: unknown key "sede": did you mean seed?`},
	{"net:\n  channels: '32'", `line 2: net.channels is "32", but must be a whole number`},
	{"net: {channels: 99999999999999999999}", "net.channels is 99999999999999999999, but must be a whole number"},
	{"seed: true", "seed is true, but must be a whole number"},
	{"train:\n  iterations: 0100", "line 2: train.iterations is 0100, which YAML may read as an octal number: write it without the leading 0"},
	{"train: {learning_rate: .nan}", "train.learning_rate is NaN"},
	{"train: {batch_size: 33}", "train.batch_size is 33, but must be even"},
	{"net: {value_head: conv}", `net.value_head is "conv", but must be dense or pooled`},
	{"selfplay: {opening_plies: 1001}", "selfplay.opening_plies is 1001, but must be 0 to 1000"},
	{"eval: {games: 0}", "eval.games is 0, but must be 1 to 1000000"},
	{"eval: {simulations: -1}", "eval.simulations is -1, but must be 0 to 10000000"},
	{"eval: {against: lizard}", `eval.against: player "lizard": unknown kind "lizard": write one of random,`},
	{"eval: {against: human}", "eval.against: a human cannot play here: name another player"},
	{"compute: {device: tpu}", `compute.device is "tpu", but must be auto, cpu, gpu`},
	{"game: mnk", `game "mnk": board "": want three numbers, columns,rows,k, such as 7,6,4: write mnk:COLUMNS,ROWS,K`},
	{"game: mnk:15,15,5,standard", "such as 15,15,5,exact: write mnk:COLUMNS,ROWS,K[,exact][,caro]"},
	{"game: 'connect4:'", "nothing follows the colon"},
	{"game: gomoku:15", `"15": this board has a fixed size: write gomoku`},
}

func TestParseConfigErrors(t *testing.T) {
	for _, c := range malformed {
		cfg, err := ParseConfig([]byte(c.content))
		if err == nil {
			err = cfg.Validate()
		}
		if err == nil {
			t.Errorf("%q is taken for\n%s", c.content, cfg.YAML())
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %q, want one that says %q", c.content, err, c.want)
		}
	}
}

// Keys ignore case and may have dots.
func TestParseConfig(t *testing.T) {
	want := DefaultConfig()
	want.Selfplay.GamesPerWorker, want.Selfplay.Openings.DeepPlies, want.Seed, want.Train.LearningRate = 7, 8, 1<<63, 2
	for _, content := range []string{
		"selfplay: {games_per_worker: 7, openings: {deep_plies: 8}}\nseed: 9223372036854775808\ntrain: {learning_rate: 2}",
		"SELFPLAY: {Games_per_worker: 7}\nSelfplay.Openings.Deep_plies: 8\nseed: 9223372036854775808\nTrain: {learning_rate: 2.0}",
		"selfplay.games_per_worker: 7.0\nselfplay: {openings.deep_plies: 8.0}\nSEED: 0x8000000000000000\ntrain.learning_rate: 2",
		"selfplay.games_per_worker: &n 7\nselfplay: {openings: {deep_plies: 8}}\nseed: 9223372036854775808\ntrain: {learning_rate: &l 2}",
	} {
		if got, err := ParseConfig([]byte(content)); err != nil {
			t.Errorf("%q: %v", content, err)
		} else if got != want {
			t.Errorf("%q: %v, want %v", content, got.changed(), want.changed())
		}
	}
}

func TestParseValue(t *testing.T) {
	cfg := configWith(t, "selfplay.games_per_worker=5", "net.blocks=2.0", "game=5", "eval.against=", "seed=9223372036854775808",
		"cluster.local=false")
	want := "[{game \"5\"} {seed 9223372036854775808} {net.blocks 2} {selfplay.games_per_worker 5} {eval.against \"\"} {cluster.local false}]"
	if got := fmt.Sprint(cfg.changed()); got != want {
		t.Errorf("changed are %s, want %s", got, want)
	}
}

// The given constants of the search, and no other keys, take the place of a model's.
func TestSearchWith(t *testing.T) {
	trained := mcts.Default()
	trained.Simulations, trained.CInit = 3, 7
	if SearchWith(map[string]any{"net.channels": 9}) != nil {
		t.Error("keys of the network change the search")
	}
	got := SearchWith(map[string]any{"net.channels": 9, "search.simulations": 40})(trained)
	want := trained
	want.Simulations = 40
	if got != want {
		t.Errorf("the search is %+v, want %+v", got, want)
	}
}
