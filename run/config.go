package run

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"tengen/engine"
	"tengen/internal/limits"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/selfplay/cluster"
	"tengen/train"
)

// Config determines a run. The keys are declared here and in the sections' packages, with range, default and comment;
// config.yaml is generated from them.
type Config struct {
	// tictactoe, connect4, gomoku, or a family with its numbers: connect4:COLUMNS,ROWS,K (up to 64 cells) or
	// mnk:COLUMNS,ROWS,K (up to 20x20; K or more in a row win; append ",exact" for exactly K, ",caro" for the Caro
	// rule).
	Game string `json:"game" default:"connect4"`

	// Everything random in a run follows from this number: the same configuration and seed give the same models.
	Seed uint64 `json:"seed" default:"1"`

	// The policy-value network: a value head and a policy head on a trunk of 3x3 convolutions.
	Net net.Config `json:"net"`

	// The search in a run's self-play and matches. Models carry these constants: eval, play, analyze, grade and ladder
	// play each model with its own, unless --config or --set says otherwise.
	Search mcts.Config `json:"search"`

	// How the games to learn from are played.
	Selfplay selfplay.Config `json:"selfplay"`

	// The window of the newest positions, from which training draws.
	Replay replay.Config `json:"replay"`

	// Learning.
	Train train.Config `json:"train"`

	// How a run measures its models.
	Eval EvalConfig `json:"eval"`

	// Where the games of a run are played. With neither listen nor server the run plays them itself. Workers do not
	// change the models. These keys may change while a run continues.
	Cluster cluster.Config `json:"cluster"`
}

// EvalConfig says how a run measures its models.
type EvalConfig struct {
	// The opponent: any player but human, such as random, uct:PLAYOUTS, uct:DURATION or net:PATH.
	Against string `json:"against" default:"uct:1000"`
	// Games per evaluation, half of them with each colour.
	Games int `json:"games" default:"40" range:"[1,1e6]"`
	// Simulations per move of the model. 0: the bare policy.
	Simulations int `json:"simulations" default:"100" range:"[0,1e7]"`
	// Random moves at the start of each game. Each opening is played twice, with colours swapped.
	OpeningPlies int `json:"opening_plies" default:"2" range:"[0,1000]"`
	// Games in each match against the models evaluated one, two and four evaluations earlier: the ladder behind the
	// model's Elo rating. 0: no rating.
	LadderGames int `json:"ladder_games" default:"20" range:"[0,1e6]"`
	// Positions in which the model's moves are compared with perfect play. The run warns if no solver is quick enough
	// for its board. 0: none.
	GradePositions int `json:"grade_positions" default:"200" range:"[0,1e6]"`
	// Number of positions, evenly spread over the exam's dev half, that the model answers with and without its search.
	// metrics.jsonl has the share of right moves in each part, with its 95 % interval; 300 measure a share to within
	// 6 %. Only connect4 and gomoku have an exam; a run of another game warns. 0: none.
	ExamPositions int `json:"exam_positions" range:"[0,1e6]"`
}

// opponent parses Against. It returns an error for a person.
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

// DefaultConfig returns a configuration for Connect Four with the techniques that paid off; see docs/techniques.md.
func DefaultConfig() Config { return limits.Default[Config]() }

// Validate returns an error that names the first key out of range or conflicting keys.
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
	for _, part := range []interface{ Validate() error }{c.Net, c.Search, c.Selfplay, c.Replay, c.Train, c.Cluster} {
		if err := part.Validate(); err != nil {
			return err
		}
	}
	if err := limits.Check("eval", c.Eval); err != nil {
		return err
	}
	if c.Replay.Window < c.Train.BatchSize {
		return fmt.Errorf("replay.window is %d, allowed are train.batch_size (%d) and more positions: fewer never make a step",
			c.Replay.Window, c.Train.BatchSize)
	}
	return e.fits(c)
}

// suits returns an error that names a key with nothing to learn in the game.
func (c Config) suits(info engine.Info) error {
	if c.Net.OccupancyWeight > 0 && info.Size.Cells() == 0 {
		return fmt.Errorf("net.occupancy_weight is %v, but nobody holds cells in %s: leave it at 0", c.Net.OccupancyWeight, info.Name)
	}
	return nil
}

// Network describes the network briefly.
func (c Config) Network() string {
	if len(c.Net.Stack) > 0 {
		return "convolutions of " + strings.ReplaceAll(strings.Trim(fmt.Sprint(c.Net.Stack), "[]"), " ", ", ") + " channels"
	}
	return Plural(c.Net.Blocks, "block") + " of " + Plural(c.Net.Channels, "channel")
}

// YAML returns the configuration as a file without comments.
func (c Config) YAML() []byte { return yamlOf(c.Settings()) }

// ChangedYAML is like YAML but leaves out the defaults.
func (c Config) ChangedYAML() []byte { return yamlOf(c.changed()) }

func yamlOf(settings []Setting) []byte {
	var b bytes.Buffer
	var section []string
	for _, s := range settings {
		path := strings.Split(s.Key, ".")
		last := len(path) - 1
		for depth := range last {
			if len(section) <= depth || section[depth] != path[depth] {
				fmt.Fprintf(&b, "%*s%s:\n", 2*depth, "", path[depth])
			}
		}
		fmt.Fprintf(&b, "%*s%s: %s\n", 2*last, "", path[last], s.Value)
		section = path[:last]
	}
	return b.Bytes()
}

// DefaultFile returns config.yaml, with all defaults and comments.
func DefaultFile() []byte { return defaultFile }

// Setting is a key's full name, such as "selfplay.workers", and its value as YAML.
type Setting struct{ Key, Value string }

// Settings returns all settings in the order of the file.
func (c Config) Settings() []Setting {
	var list []Setting
	for _, f := range c.fields() {
		list = append(list, Setting{f.Key, flow(f.Value.Interface())})
	}
	return list
}

// changed returns the settings that differ from the defaults.
func (c Config) changed() []Setting {
	here, _ := c.differences(DefaultConfig())
	return here
}

// Values returns the values by their keys' full names.
func (c Config) Values() map[string]any {
	values := map[string]any{}
	for _, f := range c.fields() {
		values[f.Key] = f.Value.Interface()
	}
	return values
}

func (c *Config) fields() []limits.Field { return limits.Fields("", reflect.ValueOf(c).Elem()) }

// flow formats a value as one line of YAML.
func flow(value any) string {
	if x, ok := value.(float64); ok {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	var node yaml.Node
	if err := node.Encode(value); err != nil {
		panic(err) // a number, string or list
	}
	if node.Style |= yaml.FlowStyle; node.Style&yaml.LiteralStyle != 0 {
		node.Style = yaml.DoubleQuotedStyle
	}
	text, err := yaml.Marshal(&node)
	if err != nil {
		panic(err) // it was just encoded
	}
	return strings.TrimSpace(string(text))
}

// differences returns the settings that differ, with their values in c and in other.
func (c Config) differences(other Config) (here, there []Setting) {
	theirs := other.fields()
	for i, f := range c.fields() {
		mine, their := f.Value.Interface(), theirs[i].Value.Interface()
		if !reflect.DeepEqual(mine, their) {
			here, there = append(here, Setting{f.Key, flow(mine)}), append(there, Setting{f.Key, flow(their)})
		}
	}
	return here, there
}
