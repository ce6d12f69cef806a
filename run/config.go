package run

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"go.yaml.in/yaml/v3"

	"tengen/engine"
	"tengen/internal/limits"
	"tengen/internal/printable"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/selfplay/cluster"
	"tengen/train"
)

// Config determines a run. config.yaml is generated from the ranges, defaults and comments of the keys, here and in the
// packages of the sections.
type Config struct {
	// tictactoe, connect4, gomoku, othello, breakthrough, go, or another board: connect4:COLUMNS,ROWS,K (up to 64 cells),
	// mnk:COLUMNS,ROWS,K (up to 20x20; K or more in a row win; append ",exact" for exactly K, ",caro" for the Caro rule),
	// othello:SIDE (even, 4 to 12), breakthrough:COLUMNS,ROWS (3 to 8 columns, 5 to 8 rows), go:SIDE,KOMI or
	// go:COLUMNSxROWS,KOMI (1 to 19, komi in halves).
	Game string `json:"game" default:"connect4"`

	// All random choices follow from this number: the same configuration and seed give the same models.
	Seed uint64 `json:"seed" default:"1"`

	// The network: a policy head and a value head on a trunk of 3x3 convolutions.
	Net net.Config `json:"net"`

	// The search in self-play and matches. Models carry these constants: eval, play, analyze, grade and ladder use the
	// model's own, unless --config or --set changes them.
	Search mcts.Config `json:"search"`

	// The games from which the network learns.
	Selfplay selfplay.Config `json:"selfplay"`

	// The newest positions, from which training draws.
	Replay replay.Config `json:"replay"`

	// Learning.
	Train train.Config `json:"train"`

	// Measurements of the models.
	Eval EvalConfig `json:"eval"`

	// What evaluates positions.
	Compute ComputeConfig `json:"compute"`

	// Workers, which play a run's games but do not change its models. With neither listen nor server the run plays all
	// games itself. These keys may change when a run continues.
	Cluster cluster.Config `json:"cluster"`
}

// ComputeConfig chooses what evaluates positions and learns. It changes no game and no model.
type ComputeConfig struct {
	// auto, cpu, gpu, or gpu:1 for the second device (tengen info --devices lists them). A graphics card needs a program
	// built with -tags gpu on Linux. auto: a run of more than a minute measures the processor and every card, for at most
	// a twentieth of its time, and plays or learns with a card that is a fifth faster; all else uses the processor. gpu
	// works in eval, ladder, grade, play, analyze and env too.
	Device string `json:"device" default:"auto"`
}

// Open opens the device, or returns nil for auto and cpu. warn gets the reason if it fails later.
func (c ComputeConfig) Open(warn func(error)) (*net.Device, error) {
	d, err := net.OpenDevice(c.Device, warn)
	if err != nil {
		return nil, fmt.Errorf("compute.device: %w", err)
	}
	return d, nil
}

// EvalConfig configures measurements of models.
type EvalConfig struct {
	// The opponent: any player but human and external engines, such as random, uct:PLAYOUTS, uct:DURATION or net:PATH.
	Against string `json:"against" default:"uct:1000"`
	// Games per evaluation, half with each colour. They begin with two random moves, the same ones for both colours.
	Games int `json:"games" default:"100" range:"[1,1e6]"`
	// Simulations per move of the model. 0: the policy without search.
	Simulations int `json:"simulations" default:"100" range:"[0,1e7]"`
	// Positions for a comparison with perfect play. A run warns if its game has no quick solver. 0: none.
	GradePositions int `json:"grade_positions" default:"200" range:"[0,1e6]"`
	// Positions from the exam's dev half, evenly spread, that the model answers with and without its search.
	// metrics.jsonl has the share of right moves in each part, with its 95 % interval; 300 positions measure it to within
	// 6 %. Only connect4 and gomoku have an exam; other runs warn. 0: none.
	ExamPositions int `json:"exam_positions" range:"[0,1e6]"`
}

// Opponent returns the SPEC of the opponent. It returns an error if Against names none that evaluations can use.
func (c EvalConfig) Opponent() (players.Spec, error) {
	s, err := players.ParseSpec(c.Against)
	if err == nil {
		err = s.CheckBuiltIn()
	}
	if err != nil {
		return s, fmt.Errorf("eval.against: %w", err)
	}
	return s, nil
}

// DefaultConfig returns the best configuration known for Connect Four from the rules alone (see docs/techniques.md).
func DefaultConfig() Config { return limits.Default[Config]() }

// Validate returns an error that names a key out of range or conflicting keys.
func (c Config) Validate() error {
	e, err := engine.Open(c.Game)
	if err != nil {
		return err
	}
	_, opponentErr := c.Eval.Opponent()
	if err := net.CheckDeviceName(c.Compute.Device); err != nil {
		return fmt.Errorf("compute.device %w", err)
	}
	err = cmp.Or(opponentErr, c.Net.Validate(), c.Search.Validate(), c.Selfplay.Validate(),
		c.Replay.Validate(), c.Train.Validate(), c.Cluster.Validate(), limits.Check("eval", c.Eval))
	if err != nil {
		return err
	}
	if c.Replay.Window < c.Train.BatchSize {
		return fmt.Errorf("replay.window is %d, but must be at least train.batch_size (%d): a training step needs a whole batch",
			c.Replay.Window, c.Train.BatchSize)
	}
	return cmp.Or(e.CheckTraining(c.Seed, c.Replay.ExactPlies, c.Train.EvaluateEvery > 0), e.Fits(c.Net))
}

// memoryLimit returns the bytes of physical memory or, if that is less, the limit of a control group around this
// process, as containers and systemd set it. It returns 0 if both are unknown. Tests set another.
var memoryLimit = func() int64 {
	least := int64(0)
	for _, limit := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		if bytes, err := limit(); err == nil && bytes > 0 && (least == 0 || int64(bytes) < least) {
			least = int64(bytes)
		}
	}
	return least
}

// CheckMemory returns an InputError if training c's network takes more than half of the memory that this process may
// use. It allocates nothing for the network.
func CheckMemory(c Config) error {
	e, err := engine.Open(c.Game)
	if err != nil {
		return err
	}
	// A weight is held by three models, two gradients, two moments and the average.
	const copies = 8
	shape, layers := e.Shape(), 2*c.Net.Blocks+1
	parameters := net.Parameters(c.Net, shape)
	activations := shape.Height * shape.Width * c.Net.Channels * layers * c.Train.BatchSize
	need, limit := 4*int64(copies*parameters+2*activations), memoryLimit()
	if limit > 0 && need > limit/2 {
		return engine.InputErrorf("a network of %s takes at least %.1f GB to train in batches of %d, more than half of the %.1f GB of memory here: "+
			"lower net.channels, net.blocks or train.batch_size", printable.Plural(parameters, "parameter"), float64(need)/1e9, c.Train.BatchSize, float64(limit)/1e9)
	}
	return nil
}

// Network returns a short description of the network.
func (c Config) Network() string {
	return printable.Plural(c.Net.Blocks, "block") + " of " + printable.Plural(c.Net.Channels, "channel")
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

// Setting is a key, such as "selfplay.workers", and its YAML value.
type Setting struct{ Key, Value string }

// Settings returns all settings in the order of the file.
func (c Config) Settings() []Setting {
	var list []Setting
	for _, f := range c.fields() {
		list = append(list, Setting{f.Key, oneLineYAML(f.Value.Interface())})
	}
	return list
}

// changed returns the settings that differ from the defaults.
func (c Config) changed() []Setting {
	defaults := DefaultConfig().Settings()
	return slices.DeleteFunc(c.Settings(), func(s Setting) bool { return slices.Contains(defaults, s) })
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

func oneLineYAML(value any) string {
	if x, ok := value.(float64); ok {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	var node yaml.Node
	if err := node.Encode(value); err != nil {
		panic(err) // value is a number, string or boolean
	}
	node.Style |= yaml.FlowStyle
	if node.Style&yaml.LiteralStyle != 0 {
		node.Style = yaml.DoubleQuotedStyle
	}
	text, err := yaml.Marshal(&node)
	if err != nil {
		panic(err) // just encoded
	}
	return strings.TrimSpace(string(text))
}
