package net

import (
	"cmp"
	"slices"
)

// head is an output of the network and its training. To add one, append it to heads; package replay fills new targets.
type head struct {
	// name is its name in Losses.Terms and its layers' prefix.
	name string
	// purpose is the first one whose graphs have the head.
	purpose purpose
	// weight returns its loss's weight, 0 for a network without the head. A nil weight means 1.
	weight func(Config) float64
	// target returns the length of a row of Batch.Targets[name]. It is nil for heads that need none.
	target func(Shape) int
	// build declares its layers on a trunk of the given width.
	build func(p *plan, width int) stage
	// loss adds its loss, a scalar: the mean over the batch.
	loss func(l *loss, output *node) *node
}

// purpose is what a graph is for. Its graphs also have the heads of the purposes before it.
type purpose int

const (
	playing    purpose = iota // the value and the policy
	explaining                // and who will hold each cell; model files have these heads
	training                  // and all others; checkpoints have these heads
)

// heads lists all heads, in the order of Losses.Terms.
var heads = []head{valueHead, policyHead, replyHead, occupancyHead}

func headsOf(cfg Config, p purpose) []head {
	return slices.DeleteFunc(slices.Clone(heads), func(h head) bool {
		return h.purpose > p || h.weight != nil && h.weight(cfg) == 0
	})
}

// byParameters sorts heads into the order of their parameters: by purpose, then by name. The parameters of a purpose are
// therefore the first of the next one's.
func byParameters(list []head) []head {
	slices.SortFunc(list, func(a, b head) int {
		return cmp.Or(cmp.Compare(a.purpose, b.purpose), cmp.Compare(a.name, b.name))
	})
	return list
}

// Terms returns the names in Losses.Terms, one for each head.
func (c Config) Terms() (names []string) {
	for _, h := range headsOf(c, training) {
		names = append(names, h.name)
	}
	return names
}

// headGain keeps the first policy near uniform and the first value near 0.
const headGain = 0.1

// policyHead returns logits [batch, actions] of all moves. Its loss is the cross-entropy between the target pi and the
// softmax p over the legal moves, -sum_a pi_a log p_a.
var policyHead = head{
	name:  "policy",
	build: policyLogits("policy"),
	loss: func(l *loss, logits *node) *node {
		l.logPolicy = logSoftmax(add(logits, l.mask))
		return scale(sum(multiply(l.pi, l.logPolicy)), -1/float64(l.rows))
	},
}

// policyLogits returns the build function of a head with logits [batch, actions].
//
// With HeadConv a move's logit depends on its cell's features, and on pooled features of the board as a bias (Wu 2019,
// section 3.3 and appendix A). The logits of moves without a cell depend on the pooled features alone:
//
//	pooled = pool(ReLU(conv'(x)))
//	logits = w ReLU(conv(x) + W pooled + b), then w' pooled + b'    in the order of game.Layout
func policyLogits(name string) func(p *plan, width int) stage {
	return func(p *plan, width int) stage {
		channels := p.cfg.PolicyChannels
		if p.cfg.PolicyHead != HeadConv {
			conv := p.headConv(name+".conv", channels, width)
			out := p.layer(name+".out", headGain, p.shape.Actions, channels*p.shape.cells())
			return func(b *builder, x *node) *node { return b.dense(b.flatten(b.headConv(x, conv)), out, linear) }
		}
		conv := p.layer(name+".conv", 1, channels, width, 1, 1)
		pool := p.headConv(name+".pool.conv", channels, width)
		dense := p.unbiased(name+".pool.dense", poolGain, channels, pooledFeatures*channels)
		out := p.layer(name+".out", headGain, p.shape.movePlanes(), channels, 1, 1)
		out.unbiased = p.shape.movePlanes() == 1 // else it tells the kinds of moves apart
		var named *layer
		if p.shape.Named > 0 {
			named = p.layer(name+".named", headGain*poolGain, p.shape.Named, pooledFeatures*channels)
		}
		return func(b *builder, x *node) *node {
			pooled := b.pool(b.headConv(x, pool))
			bias := b.affine(pooled, dense.weight, conv.bias, linear, true)
			cells := b.affine(x, conv.weight, bias, rectifier, true)
			logits := b.flatten(b.dense(cells, out, linear))
			if named != nil {
				logits = concat(logits, b.dense(pooled, named, linear))
			}
			return logits
		}
	}
}

// valueHead returns the expected outcome v [batch] for the side to move, from -1 to 1. Its loss is (v - z)^2.
var valueHead = head{
	name: "value",
	build: func(p *plan, width int) stage {
		features, gain, gather := p.shape.cells(), 1.0, (*builder).flatten
		if p.cfg.ValueHead == HeadPooled {
			features, gain, gather = pooledFeatures, poolGain, (*builder).pool
		}
		conv := p.headConv("value.conv", p.cfg.ValueChannels, width)
		hidden := p.layer("value.hidden", gain, p.cfg.ValueHidden, p.cfg.ValueChannels*features)
		out := p.layer("value.out", headGain, 1, p.cfg.ValueHidden)
		return func(b *builder, x *node) *node {
			x = b.dense(gather(b, b.headConv(x, conv)), hidden, rectifier)
			return reshape(b.dense(x, out, tanh), b.batch)
		}
	},
	loss: func(l *loss, value *node) *node {
		return scale(sumOfSquares(subtract(value, l.z)), 1/float64(l.rows))
	},
}
