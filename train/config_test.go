package train

import (
	"math"
	"slices"
	"testing"
)

func TestConfigValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Errorf("the default is not valid: %v", err)
	}
	for problem, change := range map[string]func(*Config){
		"train.iterations is 0, but must be 1 to":  func(c *Config) { c.Iterations = 0 },
		"train.games_per_iteration is 0":           func(c *Config) { c.GamesPerIteration = 0 },
		"train.passes is 0":                        func(c *Config) { c.Passes = 0 },
		"train.batch_size is -1":                   func(c *Config) { c.BatchSize = -1 },
		"train.batch_size is 33, but must be even": func(c *Config) { c.BatchSize = 33 },
		"train.learning_rate is NaN":               func(c *Config) { c.LearningRate = math.NaN() },
		"train.final_learning_rate is -1":          func(c *Config) { c.FinalLearningRate = -1 },
		"train.average is 1":                       func(c *Config) { c.Average = 1 },
		"train.l2 is +Inf":                         func(c *Config) { c.L2 = math.Inf(1) },
		"train.evaluate_every is -1":               func(c *Config) { c.EvaluateEvery = -1 },
		"train.keep is -1":                         func(c *Config) { c.Keep = -1 },
	} {
		c := Default()
		change(&c)
		wantError(t, c.Validate(), problem)
	}
}

// A run is evaluated after its first tenth, then regularly, and at its end.
func TestEvaluates(t *testing.T) {
	for c, want := range map[Config][]int{
		{Iterations: 78, EvaluateEvery: 20}: {7, 20, 40, 60, 78},
		{Iterations: 40, EvaluateEvery: 4}:  {4, 8, 12, 16, 20, 24, 28, 32, 36, 40},
		{Iterations: 9, EvaluateEvery: 5}:   {5, 9},
		{Iterations: 30}:                    nil,
	} {
		var got []int
		for i := range c.Iterations {
			if c.Evaluates(i + 1) {
				got = append(got, i+1)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d iterations, every %d: %v, want %v", c.Iterations, c.EvaluateEvery, got, want)
		}
	}
}
