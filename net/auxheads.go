package net

import "tengen/game"

// Auxiliary heads exist for training, and play does not compute them. Predicting more about a game teaches the trunk
// sooner what matters (Wu 2019, "Accelerating Self-Play Learning in Go", sections 3.4 and 4.1). Package game has their
// names, and package replay fills their targets.

// replyHead predicts the opponent's next move, with the layers of policyHead. Its loss is the cross-entropy between its
// target [batch, actions] and the softmax over all moves, because the legal replies depend on the move before. Rows
// without a target add 0.
var replyHead = head{
	name:    game.Reply,
	purpose: training,
	weight:  func(cfg Config) float64 { return cfg.ReplyWeight },
	target:  func(shape Shape) int { return shape.Actions },
	build:   policyLogits(game.Reply),
	loss: func(l *loss, logits *node) *node {
		return scale(sum(multiply(l.targets[game.Reply], logSoftmax(logits))), -1/float64(l.rows))
	},
}

// occupancyHead returns logits [batch*H*W, Holders] for each cell's final class. Its loss is the mean cross-entropy of
// the cells. Rows without a target add 0.
var occupancyHead = head{
	name:    game.Occupancy,
	purpose: explaining,
	weight:  func(cfg Config) float64 { return cfg.OccupancyWeight },
	target:  func(shape Shape) int { return game.Holders * shape.cells() },
	build: func(p *plan, width int) stage {
		out := p.layer("occupancy.out", headGain, game.Holders, width, 1, 1)
		return func(b *builder, x *node) *node { return b.dense(x, out, linear) }
	},
	loss: func(l *loss, logits *node) *node {
		target := l.targets[game.Occupancy] // [batch, H*W*Holders]
		logP := reshape(logSoftmax(logits), target.Shape()...)
		return scale(sum(multiply(target, logP)), -game.Holders/float64(l.rows*target.Shape()[1]))
	},
}
