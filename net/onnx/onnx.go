// Package onnx writes networks as ONNX files, which ONNX Runtime and many others run, in browsers, too, and Netron shows.
//
// The graph is the network of package net as it plays:
//
//	planes [batch, planes, height, width]
//	  -> policy_logits [batch, actions]   a logit for each move, legal or not
//	  -> value [batch, 1]                 the expected outcome for the side to move, from -1 to 1
//
// in float32. Sizes are numbers, except those that are left open and have the names above: the batch, unless Options.Batch is
// set, and the board with Options.AnySize. The softmax over the legal moves is left to the caller.
//
// A tensor has the name that it has in a model file, a node the name of its layer, and every value in between its shape. The
// values of the tensors are those of the model file, except that dense layers on all cells take the cells channel by channel here
// and the channels cell by cell there, and that a network which does not see the last move, see net.Config.HideLastMove, has
// weights of 0 for that plane. A dense layer that makes a bias of pooled features is a convolution of one cell.
//
// Files are of ONNX 1.12: IR version 8, operator set 17 (https://github.com/onnx/onnx). The same model, options and program give
// the same bytes.
package onnx

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"tengen/net"
)

// Options say what a graph is to be like. The zero value is one for batches of any size.
type Options struct {
	// Batch is the number of positions that are evaluated at once, up to MaxBatch; 0 leaves it to the caller.
	Batch int
	// AnySize leaves the board's size to the caller. It is for networks with net.Config.AnySize.
	AnySize bool
	// Planes says what the planes of a position are, for people to read.
	Planes string
	// Version is that of the program.
	Version string
	// Metadata are further properties of the model, beside "game", "iteration", "step" and "net", its architecture in JSON.
	Metadata map[string]string
}

// MaxBatch is the largest Options.Batch.
const MaxBatch = 1 << 16

// Validate returns an error if a network of the architecture cannot be written with these options.
func (o Options) Validate(c net.Config) error {
	if o.Batch < 0 || o.Batch > MaxBatch {
		return fmt.Errorf("a batch of %d positions: allowed are 1 to %d, or 0 for any number", o.Batch, MaxBatch)
	}
	if o.AnySize && !c.AnySize() {
		return fmt.Errorf("the network plays on boards of one size: only those with net.policy_head %s and net.value_head %s are of any size",
			net.HeadConv, net.HeadPooled)
	}
	return nil
}

// Graph is a network as ONNX has it. It shares the memory of the weights that it was made of.
type Graph struct {
	producer string // the version of the program
	doc      string
	metadata map[string]string

	planes        tensor
	logits, value tensor
	nodes         []node // each after those whose outputs it takes
	initializers  []net.Param
}

// Names of the inputs and outputs, and of sizes that are open.
const (
	planesName = "planes"
	logitsName = "policy_logits"
	valueName  = "value"

	batchSize   = "batch"
	heightSize  = "height"
	widthSize   = "width"
	actionsSize = "actions"
)

// maxParameters is as many as a file of protocol buffers can hold, less than 2 GiB, with room for all else.
const maxParameters = (1<<31 - 1<<20) / 4

// New makes the graph of a model, without heads that only help to learn. The error says that the options do not fit the model, or
// that its weights are too many or not finite.
func New(m *net.Model, o Options) (*Graph, error) {
	w := m.Weights
	if err := o.Validate(w.Config); err != nil {
		return nil, err
	}
	if n := w.Count(); n > maxParameters {
		return nil, fmt.Errorf("the network has %d parameters, an ONNX file holds up to %d: choose a smaller one", n, maxParameters)
	}
	if err := w.Finite(); err != nil {
		return nil, err
	}
	architecture, err := json.Marshal(w.Config)
	if err != nil {
		return nil, err
	}
	g := &Graph{
		producer: o.Version,
		doc: fmt.Sprintf("Policy and value network for %s, by tengen. planes: %s. policy_logits: a logit for each move; the policy is the "+
			"softmax over the legal ones. value: the expected outcome for the side to move, from -1 to 1.",
			m.Game, cmp.Or(o.Planes, "the position, row 0 at the top of the board")),
		metadata: map[string]string{
			"game":      m.Game,
			"iteration": strconv.Itoa(m.Iteration),
			"step":      strconv.Itoa(m.Step),
			"net":       string(architecture),
		},
	}
	maps.Copy(g.metadata, o.Metadata)
	g.build(w, o)
	return g, nil
}

// String is what goes in and comes out, "planes [batch, 4, 6, 7] -> policy_logits [batch, 7], value [batch, 1]".
func (g *Graph) String() string { return fmt.Sprintf("%v -> %v, %v", g.planes, g.logits, g.value) }

// tensor is a value that the graph computes or is given, float32.
type tensor struct {
	name  string
	shape []dim
}

// String is the name and the shape, "planes [batch, 4, 6, 7]".
func (t tensor) String() string {
	var sizes []string
	for _, d := range t.shape {
		sizes = append(sizes, d.String())
	}
	return t.name + " [" + strings.Join(sizes, ", ") + "]"
}

// dim is the size of a tensor along an axis: a number or, where there is a name, whatever the input has.
type dim struct {
	size int
	name string
}

// String is the name or the number.
func (d dim) String() string {
	if d.name != "" {
		return d.name
	}
	return strconv.Itoa(d.size)
}
