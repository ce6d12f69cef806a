package mcts_test

import (
	"math"
	"strings"
	"testing"

	"tengen/mcts"
)

// An error names the key and the value, so that it can be found in the file.
func TestValidateNamesKeyAndValue(t *testing.T) {
	if err := mcts.Default().Validate(); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		key, value string
		set        func(c *mcts.Config)
	}{
		{"search.simulations", "0", func(c *mcts.Config) { c.Simulations = 0 }},
		{"search.simulations", "10000001", func(c *mcts.Config) { c.Simulations = 10_000_001 }},
		{"search.c_init", "-0.5", func(c *mcts.Config) { c.CInit = -0.5 }},
		{"search.c_init", "NaN", func(c *mcts.Config) { c.CInit = math.NaN() }},
		{"search.root_first_play_reduction", "-1", func(c *mcts.Config) { c.RootFirstPlayReduction = -1 }},
		{"search.noise_weight", "1.01", func(c *mcts.Config) { c.NoiseWeight = 1.01 }},
		{"search.forced_nodes", "-1", func(c *mcts.Config) { c.ForcedNodes = -1 }},
		{"search.forced_nodes", "1000001", func(c *mcts.Config) { c.ForcedNodes = 1_000_001 }},
		{"search.root_policy_temperature", "0", func(c *mcts.Config) { c.RootPolicyTemperature = 0 }},
		{"search.forced_playouts", "-2", func(c *mcts.Config) { c.ForcedPlayouts = -2 }},
	} {
		c := mcts.Default()
		test.set(&c)
		err := c.Validate()
		if err == nil || !strings.Contains(err.Error(), test.key+" is "+test.value+",") {
			t.Errorf("%s = %s: error %v", test.key, test.value, err)
		}
	}
}
