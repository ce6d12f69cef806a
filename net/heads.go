package net

import (
	"cmp"
	"slices"
)

// head is an output of the network and what it learns. All that there is to know about one is here, the rest of the package
// goes through the list: to add a head is to write a value, to append it to heads and, if it has a target of its own, to
// let replay fill that in.
type head struct {
	// name is that of its loss, see Losses.Terms, and begins the names of its layers.
	name string
	// auxiliary heads only help to learn: they are in the graph that learns and in checkpoints, but not in the graph that
	// plays nor in models.
	auxiliary bool
	// weight is how much its loss counts in the total, 0 where a network is without the head; nil: 1.
	weight func(Config) float64
	// target is the length of a row of Batch.Targets[name]; nil: the head learns from what every batch holds.
	target func(Shape) int
	// layers lists its layers, on a trunk of the given width.
	layers func(cfg Config, shape Shape, width int) []layer
	// output adds what it computes from the trunk to the graph.
	output func(n *network) *node
	// loss adds how far the output is from the target to the graph: a scalar, the mean over the batch. See loss for the
	// targets.
	loss func(l *loss, output *node) *node
}

// heads is the one list of heads, in the order of Losses.Terms.
var heads = []head{valueHead, policyHead, replyHead, softPolicyHead, occupancyHead}

// headsOf lists the heads of a network, auxiliary ones only if it is to learn.
func headsOf(cfg Config, learn bool) []head {
	return slices.DeleteFunc(slices.Clone(heads), func(h head) bool {
		return h.auxiliary && !learn || h.weight != nil && h.weight(cfg) == 0
	})
}

// byParameters puts heads into the order of their parameters. Auxiliary heads are last, so that the parameters of a network
// that plays are the first of those of one that learns; among the others the names decide.
func byParameters(list []head) []head {
	slices.SortFunc(list, func(a, b head) int {
		if a.auxiliary == b.auxiliary {
			return cmp.Compare(a.name, b.name)
		}
		if a.auxiliary {
			return 1
		}
		return -1
	})
	return list
}

// Terms are the names in Losses.Terms, one for each head of the network.
func (c Config) Terms() []string { return namesOf(headsOf(c, true)) }

// Outputs are the names of the heads that are there in play, too: the first of Terms.
func (c Config) Outputs() []string { return namesOf(headsOf(c, false)) }

func namesOf(list []head) (names []string) {
	for _, h := range list {
		names = append(names, h.name)
	}
	return names
}

// headGain keeps the first policy near uniform and the first value near 0, so that the search starts without prejudice.
const headGain = 0.1

// Names of layers of the heads. Those of a head of policies begin with the name of the head.
const (
	convLayer      = ".conv"
	poolConvLayer  = ".pool.conv"
	poolDenseLayer = ".pool.dense"
	outLayer       = ".out"

	valueConv   = "value.conv"
	valueHidden = "value.hidden"
	valueOut    = "value.out"
)

// policyHead gives the logits [batch, actions] of the moves, legal or not, see policyLayers. Its loss is the cross-entropy of the
// target and the softmax p over the legal moves, -sum_a pi_a log p_a.
var policyHead = head{
	name:   "policy",
	layers: policyLayers("policy"),
	output: policyOutput("policy"),
	loss: func(l *loss, logits *node) *node {
		l.logPolicy = logSoftmax(add(logits, l.mask))
		return scale(sum(multiply(l.pi, l.logPolicy)), -1/float64(l.batch))
	},
}

// policyLayers are the layers of a head that gives a logit for each move.
//
// A dense layer on the features of all cells has weights of its own for every move, and has to learn each shape at every place.
// With HeadConv the logit of a move comes from the features of its cell alone, and of the whole board from what is pooled of
// further features, as a bias on them (Wu 2019, section 3.3 and appendix A):
//
//	logits = w ReLU(conv(x) + W pool(ReLU(conv'(x))) + b)
func policyLayers(name string) func(cfg Config, shape Shape, width int) []layer {
	return func(cfg Config, shape Shape, width int) []layer {
		channels := cfg.PolicyChannels
		conv := layer{name: name + convLayer, weight: []int{channels, width, 1, 1}, gain: 1}
		if cfg.PolicyHead != HeadConv {
			return []layer{conv, {name: name + outLayer, weight: []int{shape.Actions, channels * shape.cells()}, gain: headGain}}
		}
		return []layer{
			conv,
			{name: name + poolConvLayer, weight: []int{channels, width, 1, 1}, gain: 1},
			{name: name + poolDenseLayer, weight: []int{channels, pooledFeatures * channels}, gain: poolGain, unbiased: true},
			{name: name + outLayer, weight: []int{1, channels, 1, 1}, gain: headGain, unbiased: true},
		}
	}
}

// policyOutput computes the logits [batch, actions] of a head with policyLayers.
func policyOutput(name string) func(n *network) *node {
	return func(n *network) *node {
		if n.cfg.PolicyHead != HeadConv {
			return n.dense(n.features(name+convLayer), name+outLayer, linear)
		}
		b, conv := n.builder, n.byName[name+convLayer]
		pooled := b.pool(n.dense(n.trunk, name+poolConvLayer, rectifier))
		bias := b.dense(pooled, n.byName[name+poolDenseLayer][0], conv[1], linear)
		cells := b.dense(n.trunk, conv[0], bias, rectifier)
		return reshape(n.dense(cells, name+outLayer, linear), n.batch, n.shape.cells())
	}
}

// valueHead gives the expected outcome v [batch] for the side to move, from -1 to 1. Its loss is (v - z)^2. With HeadPooled it
// sees what is pooled of the features of the cells, else those of each cell.
var valueHead = head{
	name: "value",
	layers: func(cfg Config, shape Shape, width int) []layer {
		features, gain := shape.cells(), 1.0
		if cfg.ValueHead == HeadPooled {
			features, gain = pooledFeatures, poolGain
		}
		return []layer{
			{name: valueConv, weight: []int{cfg.ValueChannels, width, 1, 1}, gain: 1},
			{name: valueHidden, weight: []int{cfg.ValueHidden, cfg.ValueChannels * features}, gain: gain},
			{name: valueOut, weight: []int{1, cfg.ValueHidden}, gain: headGain},
		}
	},
	output: func(n *network) *node {
		var features *node
		if n.cfg.ValueHead == HeadPooled {
			features = n.builder.pool(n.dense(n.trunk, valueConv, rectifier))
		} else {
			features = n.features(valueConv)
		}
		hidden := n.dense(features, valueHidden, rectifier)
		return reshape(n.dense(hidden, valueOut, tanh), n.batch)
	},
	loss: func(l *loss, value *node) *node {
		return scale(sumOfSquares(subtract(value, l.z)), 1/float64(l.batch))
	},
}
