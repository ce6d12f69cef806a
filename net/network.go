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
	"fmt"
	"math"

	"tengen/game"
	"tengen/internal/kernel"
)

// layer is a convolution or a dense layer: a weight and a bias.
type layer struct {
	name     string
	weight   []int   // [out, in, 3, 3] or [out, in, 1, 1] of a convolution, [out, in] of a dense layer; the bias is [out]
	gain     float64 // scale of the initial weights, see NewWeights
	unbiased bool    // there is no bias, where it would do nothing or what another one does
}

// params are the layer's parameters, without values.
func (l layer) params() []Param {
	weight, bias := Param{Name: l.name + ".weight", Shape: l.weight}, Param{Name: l.name + ".bias", Shape: l.weight[:1:1]}
	if l.unbiased {
		return []Param{weight}
	}
	return []Param{weight, bias}
}

// layers is the one list of what a network consists of, in the order of its parameters: the trunk, and the heads on it,
// auxiliary ones only if it is to learn.
func layers(cfg Config, shape Shape, learn bool) []layer {
	list := trunkLayers(cfg, shape)
	width := list[len(list)-1].weight[0]
	for _, h := range byParameters(headsOf(cfg, learn)) {
		list = append(list, h.layers(cfg, shape, width)...)
	}
	return list
}

// trunkLayers are 3x3 convolutions: those of the stack, or the stem and two of each residual block; pooled blocks have a third
// and a dense layer.
func trunkLayers(cfg Config, shape Shape) []layer {
	var list []layer
	width := shape.Planes // channels so far
	add := func(name string, channels int, gain float64) {
		list = append(list, layer{name: name, weight: []int{channels, width, 3, 3}, gain: gain})
		width = channels
	}
	for i, channels := range cfg.Stack {
		add(stackName(i), channels, 1)
	}
	if len(cfg.Stack) > 0 {
		return list
	}
	add(stemName, cfg.Channels, 1)
	for i := range cfg.Blocks {
		inside := cfg.Channels
		if cfg.pooled(i) {
			pool := poolWidth(cfg.Channels)
			inside -= pool
			list = append(list,
				layer{name: poolConv(i), weight: []int{pool, width, 3, 3}, gain: 1},
				layer{name: poolDense(i), weight: []int{inside, pooledFeatures * pool}, gain: poolGain, unbiased: true})
		}
		add(blockName(i, 1), inside, 1)
		add(blockName(i, 2), cfg.Channels, 1/math.Sqrt(float64(cfg.Blocks)))
	}
	return list
}

// poolWidth is how many of a pooled block's channels are pooled: a quarter, rounded up to fill vector registers, and at most
// half. In KataGo's networks it is a quarter to a half.
func poolWidth(channels int) int { return min(kernel.Pad((channels+3)/4), channels/2) }

// poolGain is that of the weights of pooled features. Maxima over a board are several times what the features of a cell are,
// and would drown them.
const poolGain = 0.3

// stemName is the first convolution before residual blocks.
const stemName = "stem"

// stackName is the i-th convolution, from 0, of a plain stack.
func stackName(i int) string { return fmt.Sprintf("stack.conv%d", i+1) }

// blockName is convolution 1 or 2 of the i-th residual block, from 0.
func blockName(i, conv int) string { return fmt.Sprintf("block%d.conv%d", i+1, conv) }

// poolConv and poolDense are the further layers of the i-th residual block, from 0, if that is pooled.
func poolConv(i int) string  { return fmt.Sprintf("block%d.pool.conv", i+1) }
func poolDense(i int) string { return fmt.Sprintf("block%d.pool.dense", i+1) }

// network is the graph from planes to the outputs of the heads. Its inputs, planes and params, are for the caller to fill.
type network struct {
	*graph
	builder *builder
	cfg     Config
	shape   Shape
	learn   bool // auxiliary heads are in it
	batch   int

	planes  *node               // [batch, planes, H, W]
	params  []*node             // in the order of Weights.Params
	byName  map[string][2]*node // weight and bias, or nil, by the layer's name
	trunk   *node               // [batch*H*W, channels]
	outputs map[string]*node    // by the name of the head
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
		byName:  make(map[string][2]*node),
		outputs: make(map[string]*node),
	}
	n.planes = n.input("planes", batch, shape.Planes, shape.Height, shape.Width)
	for _, l := range layers(cfg, shape, learn) {
		var inputs [2]*node
		for i, p := range l.params() {
			inputs[i] = n.input(p.Name, p.Shape...)
			n.params = append(n.params, inputs[i])
		}
		n.byName[l.name] = inputs
	}
	n.trunk = n.addTrunk()
	for _, h := range byParameters(headsOf(cfg, learn)) {
		n.outputs[h.name] = h.output(n)
	}
	return n
}

// addTrunk adds the layers of trunkLayers, and a residual connection around each block.
func (n *network) addTrunk() *node {
	list := trunkLayers(n.cfg, n.shape)
	first := n.byName[list[0].name]
	x := n.builder.stem(n.planes, first[0], first[1])
	if len(n.cfg.Stack) > 0 {
		for _, l := range list[1:] {
			p := n.byName[l.name]
			x = n.builder.conv3x3(x, p[0], p[1])
		}
		return x
	}
	for i := range n.cfg.Blocks {
		first, second := n.byName[blockName(i, 1)], n.byName[blockName(i, 2)]
		if n.cfg.pooled(i) {
			x = n.builder.pooledBlock(x, n.byName[poolConv(i)], n.byName[poolDense(i)][0], first, second)
		} else {
			x = n.builder.block(x, first, second)
		}
	}
	return x
}

// dense adds the dense layer of the given name, or the 1x1 convolution, and what follows.
func (n *network) dense(x *node, name string, then activation) *node {
	p := n.byName[name]
	return n.builder.dense(x, p[0], p[1], then)
}

// features adds the 1x1 convolution of the given name and a ReLU to the trunk, and makes a row of each image out of the
// results, cell by cell: [batch, H*W*channels].
func (n *network) features(name string) *node {
	y := n.dense(n.trunk, name, rectifier)
	return reshape(y, n.batch, n.shape.cells()*y.Shape()[1])
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
