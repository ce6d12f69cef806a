package train

import (
	"math"
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
