// Package net implements the policy-value network, which maps a position to a logit for every move and an expected
// outcome for the side to move. Playing and training compile Gorgonia graphs of the same network:
//
//	planes [B, planes, H, W]
//	  -> 3x3 convolution, ReLU -> residual blocks x' = ReLU(x + conv(ReLU(conv(x))))
//	  -> policy: 1x1 convolution, ReLU -> dense                                         logits [B, Actions]
//	  -> value:  1x1 convolution, ReLU -> dense, ReLU -> dense -> tanh                  value [B]
//
// Dense layers on all cells fit one board size; pooling heads and the trunk fit any. Graphs for play have no auxiliary
// heads.
//
// The architecture is AlphaZero's (Silver et al. 2018, "A general reinforcement learning algorithm that masters chess,
// shogi, and Go through self-play", Methods) without batch normalisation: a position's value depends only on the
// position and the weights. NewWeights compensates.
//
// Inference and Trainer compile graphs for one batch size. Evaluator turns positions into priors and values. Model is a
// file of weights.
//
// A position's outputs are the same to the bit in any row of a batch of any size, whatever the other rows hold.
package net

type layer struct {
	name     string
	shape    []int   // of the weight: [out, in, k, k] if a convolution, [out, in] if dense
	gain     float64 // see NewWeights
	unbiased bool    // a bias would have no effect

	weight, bias *node // in a graph; bias may be nil
}

func (l *layer) params() []Param {
	weight, bias := Param{Name: l.name + ".weight", Shape: l.shape}, Param{Name: l.name + ".bias", Shape: l.shape[:1:1]}
	if l.unbiased {
		return []Param{weight}
	}
	return []Param{weight, bias}
}

// stage adds consecutive layers to a graph: x is their input, the result their output.
type stage func(b *builder, x *node) *node

// plan is a network before its graph exists.
type plan struct {
	cfg    Config
	shape  Shape
	layers []*layer     // in parameter order: the trunk, then its heads
	trunk  []stage      // in sequence: planes to [batch*H*W, channels]
	heads  []headOutput // trunk to outputs
	joined []*layer     // the heads' 1x1 convolutions of the trunk that are computed together
}

type headOutput struct {
	name   string
	output stage
}

func newPlan(cfg Config, shape Shape, why purpose) *plan {
	p := &plan{cfg: cfg, shape: shape}
	p.addTrunk()
	for _, h := range byParameters(headsOf(cfg, why)) {
		p.heads = append(p.heads, headOutput{h.name, h.build(p, cfg.Channels)})
	}
	return p
}

func (p *plan) params() (list []Param) {
	for _, l := range p.layers {
		list = append(list, l.params()...)
	}
	return list
}

func (p *plan) layer(name string, gain float64, shape ...int) *layer {
	l := &layer{name: name, shape: shape, gain: gain}
	p.layers = append(p.layers, l)
	return l
}

// headConv is a layer for builder.headConv.
func (p *plan) headConv(name string, channels, width int) *layer {
	l := p.layer(name, 1, channels, width, 1, 1)
	p.joined = append(p.joined, l)
	return l
}

func (p *plan) unbiased(name string, gain float64, shape ...int) *layer {
	l := p.layer(name, gain, shape...)
	l.unbiased = true
	return l
}

// network is the graph from planes to outputs. The caller fills planes and params.
type network struct {
	*graph
	builder *builder
	cfg     Config
	shape   Shape
	purpose purpose
	batch   int

	planes  *node            // [batch, planes, H, W]
	params  []*node          // in the order of Weights.Params
	trunk   *node            // [batch*H*W, channels]
	outputs map[string]*node // by the head's name
}

func newNetwork(cfg Config, shape Shape, why purpose, batch int, salt string) *network {
	n := &network{
		graph: newGraph(salt),
		builder: &builder{
			height: shape.Height, width: shape.Width, batch: batch, masked: make(map[*node]*node),
		},
		cfg:     cfg,
		shape:   shape,
		purpose: why,
		batch:   batch,
		outputs: make(map[string]*node),
	}
	n.planes = n.input("planes", batch, shape.Planes, shape.Height, shape.Width)
	p := newPlan(cfg, shape, why)
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
	for _, add := range p.trunk {
		n.trunk = add(n.builder, n.trunk)
	}
	n.builder.joinHeads(n.trunk, p.joined)
	for _, h := range p.heads {
		n.outputs[h.name] = h.output(n.builder, n.trunk)
	}
	return n
}

// bind returns weights that share the memory of the graph's parameters.
func (n *network) bind() *Weights {
	w := &Weights{Config: n.cfg, Shape: n.shape, Params: newParams(n.cfg, n.shape, n.purpose)}
	for i := range w.Params {
		w.Params[i].Data = memory(n.params[i])
	}
	return w
}
