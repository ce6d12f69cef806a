package net

// This file has the heads that only help to learn. A game is one number for the value and a few for the policy of each position.
// What else happened in it is further advice about what matters on the board, and the trunk that has to guess it learns that sooner
// (Wu 2019, "Accelerating Self-Play Learning in Go", sections 3.4 and 4.1).

// Names of auxiliary heads and of their layers. replay knows what they learn by the first two.
const (
	reply     = "reply"
	occupancy = "occupancy"

	occupancyOut = "occupancy.out"
)

// replyHead gives the logits [batch, actions] of the opponent's next move, with the layers of policyHead. Its loss is the
// cross-entropy of that move's policy target and the softmax over all moves, 0 in rows without a target. No move is masked: which
// are legal then depends on the move in between.
var replyHead = head{
	name:      reply,
	auxiliary: true,
	in:        func(cfg Config) bool { return cfg.ReplyWeight > 0 },
	weight:    func(cfg Config) float64 { return cfg.ReplyWeight },
	target:    func(shape Shape) int { return shape.Actions },
	layers:    policyLayers(reply),
	output:    policyOutput(reply),
	loss: func(l *loss, logits *node) *node {
		return scale(sum(multiply(l.targets[reply], logSoftmax(logits))), -1/float64(l.batch))
	},
}

// holders is the number of those who may hold a cell: the side to move, its opponent, nobody.
const holders = 3

// occupancyHead gives logits [batch*H*W, holders] for who holds each cell in the last position of the game. Its loss is the
// cross-entropy of the truth and the softmax, the mean over the cells, 0 in rows without a target. It is what KataGo's head for
// ownership is to Go.
var occupancyHead = head{
	name:      occupancy,
	auxiliary: true,
	in:        func(cfg Config) bool { return cfg.OccupancyWeight > 0 },
	weight:    func(cfg Config) float64 { return cfg.OccupancyWeight },
	target:    func(shape Shape) int { return holders * shape.cells() },
	layers: func(_ Config, _ Shape, width int) []layer {
		return []layer{{name: occupancyOut, weight: []int{holders, width, 1, 1}, gain: headGain}}
	},
	output: func(n *network) *node { return n.dense(n.trunk, occupancyOut, linear) },
	loss: func(l *loss, logits *node) *node {
		target := l.targets[occupancy] // [batch, H*W*holders]
		logP := reshape(logSoftmax(logits), target.Shape()...)
		return scale(sum(multiply(target, logP)), -holders/float64(target.Shape().TotalSize()))
	},
}
