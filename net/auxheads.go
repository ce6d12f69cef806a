package net

// Auxiliary heads exist for training, and play does not compute them. Predicting more about a game teaches the trunk
// sooner what matters (Wu 2019, "Accelerating Self-Play Learning in Go", sections 3.4 and 4.1).

// Names of the auxiliary heads. Package replay fills their targets.
const (
	reply     = "reply"
	occupancy = "occupancy"
)

// replyHead predicts the opponent's next move, with the layers of policyHead. Its loss is the cross-entropy between its
// target [batch, actions] and the softmax over all moves, because the legal replies depend on the move before. Rows
// without a target add 0.
var replyHead = head{
	name:    reply,
	purpose: training,
	weight:  func(cfg Config) float64 { return cfg.ReplyWeight },
	target:  func(shape Shape) int { return shape.Actions },
	build:   policyLogits(reply),
	loss: func(l *loss, logits *node) *node {
		return scale(sum(multiply(l.targets[reply], logSoftmax(logits))), -1/float64(l.rows))
	},
}

// holders is the number of classes per cell: held by the side to move, by its opponent, or empty.
const holders = 3

// occupancyHead returns logits [batch*H*W, holders] for each cell's final class. Its loss is the mean cross-entropy of
// the cells. Rows without a target add 0.
var occupancyHead = head{
	name:    occupancy,
	purpose: explaining,
	weight:  func(cfg Config) float64 { return cfg.OccupancyWeight },
	target:  func(shape Shape) int { return holders * shape.cells() },
	build: func(p *plan, width int) stage {
		out := p.layer("occupancy.out", headGain, holders, width, 1, 1)
		return func(b *builder, x *node) *node { return b.dense(x, out, linear) }
	},
	loss: func(l *loss, logits *node) *node {
		target := l.targets[occupancy] // [batch, H*W*holders]
		logP := reshape(logSoftmax(logits), target.Shape()...)
		return scale(sum(multiply(target, logP)), -holders/float64(l.rows*target.Shape()[1]))
	},
}
