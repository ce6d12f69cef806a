package run

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"tengen/engine"
	"tengen/internal/atomicfile"
	"tengen/internal/limits"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/selfplay/cluster"
	"tengen/train"
)

// Config is everything that a run depends on. config.yaml at the top explains each key.
type Config struct {
	Game     string          `yaml:"game"` // its name, see Open
	Seed     uint64          `yaml:"seed"`
	Net      net.Config      `yaml:"net"`
	Search   mcts.Config     `yaml:"search"`
	Selfplay selfplay.Config `yaml:"selfplay"`
	Replay   replay.Config   `yaml:"replay"`
	Train    train.Config    `yaml:"train"`
	Eval     EvalConfig      `yaml:"eval"`
	Cluster  cluster.Config  `yaml:"cluster"`
}

// EvalConfig says how a run measures its models.
type EvalConfig struct {
	// Against is the SPEC of the fixed opponent.
	Against string `yaml:"against"`
	// Games is the number of games of one evaluation, half of them with each colour.
	Games int `yaml:"games"`
	// Simulations is the number of simulations a move of the model; 0 plays the bare policy.
	Simulations int `yaml:"simulations"`
	// OpeningPlies is the number of random moves that each game starts with.
	OpeningPlies int `yaml:"opening_plies"`
	// LadderGames is the number of games of each match against models evaluated earlier, for the rating. 0: no rating.
	LadderGames int `yaml:"ladder_games"`
	// GradePositions is the number of positions in which the model's moves are compared with perfect play. 0: none.
	GradePositions int `yaml:"grade_positions"`
	// ExamPositions is the number of positions of the game's exam for development that are put to the model. 0: none.
	ExamPositions int `yaml:"exam_positions"`
}

// Validate names the first key that is out of range.
func (c EvalConfig) Validate() error {
	return limits.Check("eval",
		limits.Int("games", c.Games, 1, 1_000_000),
		limits.Int("simulations", c.Simulations, 0, 10_000_000),
		limits.Int("opening_plies", c.OpeningPlies, 0, 1000),
		limits.Int("ladder_games", c.LadderGames, 0, 1_000_000),
		limits.Int("grade_positions", c.GradePositions, 0, 1_000_000),
		limits.Int("exam_positions", c.ExamPositions, 0, 1_000_000),
	)
}

// opponent reads Against, which must not be a person.
func (c EvalConfig) opponent() (players.Spec, error) {
	s, err := players.ParseSpec(c.Against)
	if err == nil && s.Kind == players.KindHuman {
		err = errors.New("a person is no opponent for an evaluation")
	}
	if err != nil {
		return s, fmt.Errorf("eval.against: %w", err)
	}
	return s, nil
}

// DefaultConfig is what config.yaml at the top says: Connect Four, with the techniques that paid. docs/learning.md
// has what each is worth.
func DefaultConfig() Config {
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
	e, err := Open(c.Game)
	if err != nil {
		return err
	}
	if err := c.suits(e.Info()); err != nil {
		return err
	}
	if _, err := c.Eval.opponent(); err != nil {
		return err
	}
	for _, part := range []interface{ Validate() error }{c.Net, c.Search, c.Selfplay, c.Replay, c.Train, c.Eval, c.Cluster} {
		if err := part.Validate(); err != nil {
			return err
		}
	}
	if c.Replay.Window < c.Train.BatchSize {
		return fmt.Errorf("replay.window is %d, allowed are train.batch_size (%d) and more positions: less never make a step",
			c.Replay.Window, c.Train.BatchSize)
	}
	return e.fits(c)
}

// suits names a key for which the game has nothing to learn.
func (c Config) suits(info engine.Info) error {
	if c.Net.OccupancyWeight > 0 && info.Size.Cells() == 0 {
		return fmt.Errorf("net.occupancy_weight is %v, but nobody holds cells in %s: leave it at 0", c.Net.OccupancyWeight, info.Name)
	}
	return nil
}

// Network describes the network in a few words.
func (c Config) Network() string {
	if len(c.Net.Stack) > 0 {
		return "convolutions of " + strings.ReplaceAll(strings.Trim(fmt.Sprint(c.Net.Stack), "[]"), " ", ", ") + " channels"
	}
	return Plural(c.Net.Blocks, "block") + " of " + Plural(c.Net.Channels, "channel")
}

// YAML is the configuration as a file without comments, which ParseConfig reads back.
func (c Config) YAML() []byte {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(c), e.Close()); err != nil {
		panic(err) // a struct of numbers, strings and lists
	}
	return b.Bytes()
}

// WriteDefaultConfig writes content, every key with its default and what it does, into a file that is not there yet.
func WriteDefaultConfig(file string, content []byte) error {
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s exists already and is left alone: name another file", file)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.WriteBytes(file, 0o644, content)
}

// Setting is a key with its full name, such as "selfplay.workers", and its value as YAML.
type Setting struct{ Key, Value string }

// Settings lists the configuration in the order of the file.
func (c Config) Settings() []Setting {
	var list []Setting
	for _, f := range fields(reflect.ValueOf(c), "") {
		var value yaml.Node
		if err := value.Encode(f.value.Interface()); err != nil {
			panic(err) // a number, string or list
		}
		value.Style |= yaml.FlowStyle
		text, err := yaml.Marshal(&value)
		if err != nil {
			panic(err) // it was just made
		}
		list = append(list, Setting{f.key, strings.TrimSpace(string(text))})
	}
	return list
}

// differences lists the keys whose values are not the same in c and in other, as settings of c and of other.
func (c Config) differences(other Config) (here, there []Setting) {
	theirs := other.Settings()
	for i, s := range c.Settings() {
		if s != theirs[i] {
			here, there = append(here, s), append(there, theirs[i])
		}
	}
	return here, there
}
