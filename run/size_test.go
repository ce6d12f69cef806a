package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"tengen/engine"
	"tengen/eval"
	"tengen/net"
	"tengen/train/checkpoint"
)

// anySize chooses a network for boards of all sizes.
func anySize(cfg Config) Config {
	cfg.Net.PolicyHead, cfg.Net.ValueHead, cfg.Net.PooledBlocks = net.HeadConv, net.HeadPooled, 1
	return cfg
}

// saveModel writes an untrained model.
func saveModel(t *testing.T, game string, cfg net.Config) (string, *net.Weights) {
	t.Helper()
	search, err := json.Marshal(tinyConfig(t).Search)
	noError(t, err)
	m := &net.Model{Game: game, Search: search, Weights: net.NewWeights(cfg, open(t, game).Shape(), 7)}
	file := filepath.Join(t.TempDir(), "model.safetensors")
	noError(t, m.Save(file))
	return file, m.Weights
}

// A network for boards of all sizes plays by all rules with the same number in a row.
func TestModelsPlayOtherSizes(t *testing.T) {
	wide, _ := saveModel(t, "mnk:4,4,3", anySize(tinyConfig(t)).Net)
	dense, _ := saveModel(t, "mnk:4,4,3", tinyConfig(t).Net)
	for _, c := range []struct{ game, file, problem string }{
		{"mnk:4,4,3", wide, ""},
		{"mnk:4,4,3", dense, ""},
		{"tictactoe", wide, ""},
		{"mnk:20,3,3", wide, ""},
		{"mnk:4,4,3,exact", wide, ""},
		{"mnk:5,3,3,caro", wide, ""},
		{"mnk:4,4,3,exact", dense, "net.value_head pooled play on boards of other sizes or by other rules"},
		{"mnk:4,4,4", wide, "the model plays mnk:4,4,3, not mnk:4,4,4: choose a model for this game, or the model's game; " +
			"it has learned that 3 in a row win"},
		{"connect4", wide, "the model plays mnk:4,4,3, not connect4: choose a model for this game, or the model's game"},
		{"tictactoe", dense, "or the model's game; only networks with net.policy_head conv and net.value_head pooled play on boards of other sizes or by other rules"},
	} {
		e := open(t, c.game)
		player, err := e.Player(spec(t, "net:"+c.file+":8"), engine.PlayerOptions{})
		if c.problem != "" {
			wantError(t, err, c.problem, false)
			continue
		}
		noError(t, err)
		match := engine.MatchConfig{MatchConfig: eval.Default()}
		match.Games = 2
		if result, err := e.Match(t.Context(), match, player, player, nil); err != nil || result.Total().Games() != 2 {
			t.Errorf("%s: %+v, %v", c.game, result, err)
		}
	}
}

// A run begins with the weights of a model for another board, and continues without the model's file.
func TestTrainFrom(t *testing.T) {
	file, weights := saveModel(t, "tictactoe", anySize(tinyConfig(t)).Net)
	cfg := anySize(tinyConfig(t))
	cfg.Game, cfg.Train.From = "mnk:4,4,3", file
	train := func(dir string, iterations int) {
		t.Helper()
		cfg := cfg
		cfg.Train.Iterations = iterations
		trainRun(t, TrainConfig{Config: cfg, Dir: dir})
	}
	parts, whole := filepath.Join(t.TempDir(), "parts"), filepath.Join(t.TempDir(), "whole")
	train(whole, 2)
	train(parts, 1)
	first, err := net.LoadModel(filepath.Join(whole, checkpoint.ModelName(0)))
	noError(t, err)
	if !reflect.DeepEqual(first.Weights.Params, weights.Params) || first.Game != "mnk:4,4,3" || first.Iteration != 0 {
		t.Error("the run does not begin with the weights of the model")
	}
	noError(t, os.Remove(file))
	train(parts, 2)
	for iteration := range 3 {
		a, errA := os.ReadFile(filepath.Join(whole, checkpoint.ModelName(iteration)))
		b, errB := os.ReadFile(filepath.Join(parts, checkpoint.ModelName(iteration)))
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("model %d differs, %v, %v", iteration, errA, errB)
		}
	}
}

// A model of another architecture is an error that leaves no run.
func TestTrainFromErrors(t *testing.T) {
	dense, _ := saveModel(t, "tictactoe", tinyConfig(t).Net)
	dir := filepath.Join(t.TempDir(), "run")
	for _, c := range []struct {
		from, problem string
	}{
		{dense, "tensor policy.out.weight has shape [9 18], but the architecture needs [16 32]"},
		{dense, "give both runs the same net settings (boards of different sizes need net.policy_head conv and net.value_head pooled), or leave train.from out"},
		{"missing", "train.from: there is no model file or run directory missing"},
		{"", ""},
	} {
		cfg := tinyConfig(t)
		cfg.Game, cfg.Train.From = "mnk:4,4,3", c.from
		run, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
		if c.problem != "" {
			wantError(t, err, c.problem, false)
			if _, err := os.Stat(dir); err == nil {
				t.Errorf("train.from %s left a run behind", c.from)
			}
			continue
		}
		noError(t, err)
		noError(t, run.Close())
	}
}
