package net

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"

	"tengen/net/onnx"
)

// ONNXOptions describe an ONNX file.
type ONNXOptions struct {
	// Batch is the number of positions evaluated at once, up to MaxONNXBatch, or 0 for any.
	Batch int
	// AnySize leaves the board's size open. It requires Config.AnySize.
	AnySize bool
	// Planes describes the input planes in plain text.
	Planes string
	// Version is the program's version.
	Version string
	// Metadata adds properties to the standard "game", "iteration", "step" and "net", the architecture in JSON.
	Metadata map[string]string
}

// MaxONNXBatch is the largest ONNXOptions.Batch.
const MaxONNXBatch = 1 << 16

// Validate returns an error if the options do not fit the architecture.
func (o ONNXOptions) Validate(c Config) error {
	if o.Batch < 0 || o.Batch > MaxONNXBatch {
		return fmt.Errorf("the batch has %d positions, but must have 1 to %d, or 0 for any number", o.Batch, MaxONNXBatch)
	}
	if o.AnySize && !c.AnySize() {
		return fmt.Errorf("the network fits one board size: only net.policy_head %s with net.value_head %s fits any",
			HeadConv, HeadPooled)
	}
	return nil
}

// maxONNXParameters keeps files below protocol buffers' 2 GiB.
const maxONNXParameters = (1<<31 - 1<<20) / 4

// ONNX returns the model's graph:
//
//	planes [batch, planes, height, width]
//	  -> policy_logits [batch, actions]               a logit for each move, legal or not
//	  -> value [batch, 1]                             the expected outcome for the side to move, from -1 to 1
//	  -> occupancy_logits [batch, 3, height, width]   a logit for each of those who may hold a cell at the end: the
//	                                                  side to move, its opponent, nobody
//
// Names stand for open sizes. The caller takes the softmax over the legal moves. Models that do not know who will hold
// the cells lack the last output.
//
// Tensors have the names and values of a model file, with one exception. Dense layers on all cells order their inputs
// by channel, then cell; model files order them by cell, then channel.
//
// ONNX returns an error when the options do not fit the model, or when the weights are too many or not finite.
func (m *Model) ONNX(o ONNXOptions) (*onnx.Graph, error) {
	w := m.Weights
	if err := o.Validate(w.Config); err != nil {
		return nil, err
	}
	if n := w.Count(); n > maxONNXParameters {
		return nil, fmt.Errorf("the network has %d parameters, but an ONNX file holds at most %d: choose a smaller one", n, maxONNXParameters)
	}
	if err := w.Finite(); err != nil {
		return nil, err
	}
	g := &onnx.Graph{
		Version: o.Version,
		Doc: fmt.Sprintf("Policy and value network for %s, by tengen. planes: %s. policy_logits: a logit for each move; the policy is the "+
			"softmax over the legal ones. value: the expected outcome for the side to move, from -1 to 1. occupancy_logits, if any: "+
			"for each cell a logit for those who may hold it at the end: the side to move, its opponent, nobody.",
			m.Game, cmp.Or(o.Planes, "the position, row 0 at the top of the board")),
		Metadata: map[string]string{
			gameKey:      m.Game,
			iterationKey: strconv.Itoa(m.Iteration),
			stepKey:      strconv.Itoa(m.Step),
			netKey:       marshal(w.Config),
		},
	}
	maps.Copy(g.Metadata, o.Metadata)
	w.addTo(g, o)
	return g, nil
}

func (w *Weights) addTo(g *onnx.Graph, o ONNXOptions) {
	building.Lock()
	defer building.Unlock()
	why := playing
	if w.has(explaining) {
		why = explaining
	}
	n := newNetwork(w.Config, w.Shape, why, 1, "")
	batch, height, width := onnx.Dim{Size: o.Batch}, onnx.Dim{Size: w.Shape.Height}, onnx.Dim{Size: w.Shape.Width}
	if o.Batch == 0 {
		batch.Name = "batch"
	}
	if o.AnySize {
		height.Name, width.Name = "height", "width"
	}
	known := map[*node]*onnx.Tensor{n.planes: g.Input("planes", batch, onnx.Dim{Size: w.Shape.Planes}, height, width)}
	for i, p := range w.of(why) {
		known[n.params[i]] = onnx.Constant(p.Name, p.Shape, p.Data)
	}
	var tensor func(x *node) *onnx.Tensor
	tensor = func(x *node) *onnx.Tensor {
		if known[x] == nil {
			if op := operationOf(x); op != nil {
				var in []*onnx.Tensor
				for _, input := range op.inputs {
					in = append(in, tensor(input))
				}
				known[x] = op.onnx(g, in)
			} else { // reshaped: g reshapes where needed
				known[x] = tensor(n.operands(x)[0])
			}
		}
		return known[x]
	}
	g.Output("policy_logits", g.Rows(tensor(n.outputs[policyHead.name]), "policy_logits"))
	g.Output("value", g.Rows(tensor(n.outputs[valueHead.name]), "value"))
	if owners := n.outputs[occupancyHead.name]; owners != nil {
		g.Output("occupancy_logits", tensor(owners))
	}
}
