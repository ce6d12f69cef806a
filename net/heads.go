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
	// build declares its layers on a trunk of the given width, and returns what computes its output from the trunk's.
	build func(p *plan, width int) part
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

// policyHead gives the logits [batch, actions] of the moves, legal or not, see policyLogits. Its loss is the cross-entropy of the
// target and the softmax p over the legal moves, -sum_a pi_a log p_a.
var policyHead = head{
	name:  "policy",
	build: policyLogits("policy"),
	loss: func(l *loss, logits *node) *node {
		l.logPolicy = logSoftmax(add(logits, l.mask))
		return scale(sum(multiply(l.pi, l.logPolicy)), -1/float64(l.batch))
	},
}

// policyLogits builds a head that gives a logit [batch, actions] for each move.
//
// A dense layer on the features of all cells has weights of its own for every move, and has to learn each shape at every place.
// With HeadConv the logit of a move comes from the features of its cell alone, and of the whole board from what is pooled of
// further features, as a bias on them (Wu 2019, section 3.3 and appendix A):
//
//	logits = w ReLU(conv(x) + W pool(ReLU(conv'(x))) + b)
func policyLogits(name string) func(p *plan, width int) part {
	return func(p *plan, width int) part {
		channels := p.cfg.PolicyChannels
		conv := p.layer(name+".conv", 1, channels, width, 1, 1)
		if p.cfg.PolicyHead != HeadConv {
			out := p.layer(name+".out", headGain, p.shape.Actions, channels*p.shape.cells())
			return func(b *builder, x *node) *node { return b.dense(b.rows(b.dense(x, conv, rectifier)), out, linear) }
		}
		pool := p.layer(name+".pool.conv", 1, channels, width, 1, 1)
		dense := p.unbiased(name+".pool.dense", poolGain, channels, pooledFeatures*channels)
		out := p.unbiased(name+".out", headGain, 1, channels, 1, 1)
		return func(b *builder, x *node) *node {
			bias := b.affine(b.pool(b.dense(x, pool, rectifier)), dense.weight, conv.bias, linear, true)
			cells := b.affine(x, conv.weight, bias, rectifier, true)
			return b.rows(b.dense(cells, out, linear))
		}
	}
}

// valueHead gives the expected outcome v [batch] for the side to move, from -1 to 1. Its loss is (v - z)^2. With HeadPooled it
// sees what is pooled of the features of the cells, else those of each cell.
var valueHead = head{
	name: "value",
	build: func(p *plan, width int) part {
		features, gain, gather := p.shape.cells(), 1.0, (*builder).rows
		if p.cfg.ValueHead == HeadPooled {
			features, gain, gather = pooledFeatures, poolGain, (*builder).pool
		}
		conv := p.layer("value.conv", 1, p.cfg.ValueChannels, width, 1, 1)
		hidden := p.layer("value.hidden", gain, p.cfg.ValueHidden, p.cfg.ValueChannels*features)
		out := p.layer("value.out", headGain, 1, p.cfg.ValueHidden)
		return func(b *builder, x *node) *node {
			x = b.dense(gather(b, b.dense(x, conv, rectifier)), hidden, rectifier)
			return reshape(b.dense(x, out, tanh), b.images)
		}
	},
	loss: func(l *loss, value *node) *node {
		return scale(sumOfSquares(subtract(value, l.z)), 1/float64(l.batch))
	},
}
