package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"tengen/cluster"
	"tengen/internal/limits"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/train"
)

// Config is everything that a run depends on. config.yaml at the top of the project explains each key.
type Config struct {
	Game     string          `mapstructure:"game" yaml:"game"`
	Seed     uint64          `mapstructure:"seed" yaml:"seed"`
	Net      net.Config      `mapstructure:"net" yaml:"net"`
	Search   mcts.Config     `mapstructure:"search" yaml:"search"`
	Selfplay selfplay.Config `mapstructure:"selfplay" yaml:"selfplay"`
	Replay   replay.Config   `mapstructure:"replay" yaml:"replay"`
	Train    train.Config    `mapstructure:"train" yaml:"train"`
	Eval     EvalConfig      `mapstructure:"eval" yaml:"eval"`
	Cluster  cluster.Config  `mapstructure:"cluster" yaml:"cluster"`
}

// EvalConfig says how a run measures its models.
type EvalConfig struct {
	// Against is the SPEC of the fixed opponent.
	Against string `mapstructure:"against" yaml:"against"`
	// Games is the number of games of one evaluation, half of them with each colour.
	Games int `mapstructure:"games" yaml:"games"`
	// Simulations is the number of simulations a move of the model; 0 plays the bare policy.
	Simulations int `mapstructure:"simulations" yaml:"simulations"`
	// OpeningPlies is the number of random moves that each game starts with.
	OpeningPlies int `mapstructure:"opening_plies" yaml:"opening_plies"`
	// LadderGames is the number of games of each match against models evaluated earlier, for the rating. 0: no rating.
	LadderGames int `mapstructure:"ladder_games" yaml:"ladder_games"`
	// GradePositions is the number of positions in which the model's moves are compared with perfect play. 0: none.
	GradePositions int `mapstructure:"grade_positions" yaml:"grade_positions"`
}

// Validate names the first key that is out of range.
func (c EvalConfig) Validate() error {
	return limits.Check("eval",
		limits.Int("games", c.Games, 1, 1_000_000),
		limits.Int("simulations", c.Simulations, 0, 10_000_000),
		limits.Int("opening_plies", c.OpeningPlies, 0, 1000),
		limits.Int("ladder_games", c.LadderGames, 0, 1_000_000),
		limits.Int("grade_positions", c.GradePositions, 0, 1_000_000),
	)
}

// defaultConfig is what config.yaml at the top of the project says.
func defaultConfig() Config {
	return Config{
		Game:     "connect4",
		Seed:     1,
		Net:      net.Default(),
		Search:   mcts.Default(),
		Selfplay: selfplay.Default(),
		Replay:   replay.Default(),
		Train:    train.Default(),
		Eval:     EvalConfig{Against: "uct:1000", Games: 40, Simulations: 100, OpeningPlies: 2, LadderGames: 20, GradePositions: 200},
		Cluster:  cluster.Default(),
	}
}

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	if _, err := openGame(c.Game); err != nil {
		return err
	}
	if err := checkOpponent(c.Eval.Against); err != nil {
		return fmt.Errorf("eval.against: %w", err)
	}
	for _, part := range []interface{ Validate() error }{c.Net, c.Search, c.Selfplay, c.Replay, c.Train, c.Eval, c.Cluster} {
		if err := part.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// yaml is the configuration as a file without comments.
func (c Config) yaml() []byte {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(c), e.Close()); err != nil {
		panic(err) // a struct of numbers, strings and lists
	}
	return b.Bytes()
}

// configKeys returns the full names of all keys, in the order of the file.
var configKeys = sync.OnceValue(func() []string {
	var keys []string
	for _, s := range defaultConfig().settings() {
		keys = append(keys, s.key)
	}
	return keys
})

// setting is a key with its full name and its value as YAML.
type setting struct{ key, value string }

// settings lists the configuration in the order of the file.
func (c Config) settings() []setting {
	var document yaml.Node
	if err := yaml.Unmarshal(c.yaml(), &document); err != nil {
		panic(err) // it was just written
	}
	var list []setting
	var walk func(prefix string, n *yaml.Node)
	walk = func(prefix string, n *yaml.Node) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := prefix+n.Content[i].Value, n.Content[i+1]
			if value.Kind == yaml.MappingNode {
				walk(key+".", value)
				continue
			}
			text, err := yaml.Marshal(value)
			if err != nil {
				panic(err) // it was just read
			}
			list = append(list, setting{key, strings.TrimSpace(string(text))})
		}
	}
	walk("", document.Content[0])
	return list
}
