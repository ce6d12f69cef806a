// Package net is the policy-value network: one function that looks at a position and returns a logit for every move and
// an expected outcome for the side to move.
//
// The network is a symbolic Gorgonia graph, and the same builder makes the graph that plays and the graph that learns:
//
//	planes [B, planes, H, W]
//	  -> 3x3 convolution, ReLU -> residual blocks x' = ReLU(x + conv(ReLU(conv(x))))    or a plain stack of convolutions
//	  -> policy: 1x1 convolution, ReLU -> dense                                         logits [B, Actions]
//	  -> value:  1x1 convolution, ReLU -> dense, ReLU -> dense -> tanh                  value [B]
//
// Dense layers on all cells are of one size of board. Heads of other kinds pool what cells have to say, and are of any size, as
// the trunk is: see policyHead and valueHead. So a network can be trained on a small board and play on a large one.
//
// The outputs, what they consist of and what they learn are one list, heads. Heads that only help to learn are in the graph
// that learns alone.
//
// It is the network of AlphaZero (Silver et al. 2018, "A general reinforcement learning algorithm that masters chess,
// shogi, and Go through self-play", Methods) without batch normalisation: what a position is worth then depends on that
// position and the weights alone, in training as in play, and there are no running statistics to keep. The initial
// weights make up for it, see NewWeights.
//
// Weights are plain slices of float32. Inference and Trainer each compile a graph for one batch size and copy weights in;
// Evaluator encodes positions for an Inference and turns its logits into priors; Model is a file of weights that says
// which game and architecture they are for.
//
// Two invariants hold throughout and are tested. A row of a batch does not influence another: a position gets the same
// bits whatever its place, its company and the size of the batch. And nothing is random but NewWeights, which draws from
// the seed that it is given.
package net

import (
	"tengen/game"
	"tengen/internal/kernel"
)

// layer is a convolution or a dense layer: a weight and a bias.
type layer struct {
	name     string
	shape    []int   // of the weight: [out, in, 3, 3] or [out, in, 1, 1] of a convolution, [out, in] of a dense layer; the bias is [out]
	gain     float64 // scale of the initial weights, see NewWeights
	unbiased bool    // there is no bias, where it would do nothing or what another one does

	weight, bias *node // in a graph; bias is nil for an unbiased layer
}

// params are the layer's parameters, without values.
func (l *layer) params() []Param {
	weight, bias := Param{Name: l.name + ".weight", Shape: l.shape}, Param{Name: l.name + ".bias", Shape: l.shape[:1:1]}
	if l.unbiased {
		return []Param{weight}
	}
	return []Param{weight, bias}
}

// part is a piece of a network that adds its operations to a graph, given its input there.
type part func(b *builder, x *node) *node

// plan is a network before there is a graph of it. Blocks and heads declare their layers in it and return the parts that
// compute with them, so each is written in one place.
type plan struct {
	cfg    Config
	shape  Shape
	layers []*layer  // in the order of the parameters: the trunk, and the heads on it
	trunk  []part    // one after the other: planes to [batch*H*W, channels]
	heads  []planned // the trunk's result to the outputs
}

// planned is a head of a plan.
type planned struct {
	name   string
	output part
}

// newPlan declares a network, with auxiliary heads only if it is to learn.
func newPlan(cfg Config, shape Shape, learn bool) *plan {
	p := &plan{cfg: cfg, shape: shape}
	width := p.addTrunk()
	for _, h := range byParameters(headsOf(cfg, learn)) {
		p.heads = append(p.heads, planned{h.name, h.build(p, width)})
	}
	return p
}

// layer declares a layer whose weight has the given shape.
func (p *plan) layer(name string, gain float64, shape ...int) *layer {
	l := &layer{name: name, shape: shape, gain: gain}
	p.layers = append(p.layers, l)
	return l
}

// unbiased declares a layer without a bias.
func (p *plan) unbiased(name string, gain float64, shape ...int) *layer {
	l := p.layer(name, gain, shape...)
	l.unbiased = true
	return l
}

// network is the graph from planes to the outputs of the heads. Its inputs, planes and params, are for the caller to fill.
type network struct {
	*graph
	builder *builder
	cfg     Config
	shape   Shape
	learn   bool // auxiliary heads are in it
	batch   int

	planes  *node            // [batch, planes, H, W]
	params  []*node          // in the order of Weights.Params
	trunk   *node            // [batch*H*W, channels]
	outputs map[string]*node // by the name of the head
}

// newNetwork builds the graph, to be computed by a set of instructions. See distinct for the salt.
func newNetwork(set kernel.Set, cfg Config, shape Shape, learn bool, batch int, salt string) *network {
	n := &network{
		graph:   newGraph(salt),
		builder: &builder{height: shape.Height, width: shape.Width, set: set, images: batch, masked: make(map[*node]*node)},
		cfg:     cfg,
		shape:   shape,
		learn:   learn,
		batch:   batch,
		outputs: make(map[string]*node),
	}
	n.planes = n.input("planes", batch, shape.Planes, shape.Height, shape.Width)
	p := newPlan(cfg, shape, learn)
	for _, l := range p.layers {
		for i, param := range l.params() {
			input := n.input(param.Name, param.Shape...)
			n.params = append(n.params, input)
			if i == 0 {
				l.weight = input
			} else {
				l.bias = input
			}
		}
	}
	n.trunk = n.planes
	for _, part := range p.trunk {
		n.trunk = part(n.builder, n.trunk)
	}
	for _, h := range p.heads {
		n.outputs[h.name] = h.output(n.builder, n.trunk)
	}
	return n
}

// seesLastMove reports whether the outputs depend on which move was the last.
func seesLastMove(cfg Config, shape Shape) bool {
	return !cfg.HideLastMove || shape.Planes != game.PlacementPlanes
}

// hide blanks what the network is not to see in the first rows of its planes.
func (n *network) hide(rows int) {
	if seesLastMove(n.cfg, n.shape) {
		return
	}
	planes, cells := memory(n.planes), n.shape.cells()
	for i := range rows {
		clear(planes[(i*n.shape.Planes+game.LastPlane)*cells:][:cells])
	}
}

// bind returns weights whose values are the memory of the graph's parameters: what is written to them, the graph sees.
func (n *network) bind() *Weights {
	w := &Weights{Config: n.cfg, Shape: n.shape, Params: newParams(n.cfg, n.shape, n.learn)}
	for i := range w.Params {
		w.Params[i].Data = memory(n.params[i])
	}
	return w
}
