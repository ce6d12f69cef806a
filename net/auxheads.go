package net

// This file has the heads that only help to learn. A game is one number for the value and a few for the policy of each position.
// What else happened in it is further advice about what matters on the board, and the trunk that has to guess it learns that
// sooner (Wu 2019, "Accelerating Self-Play Learning in Go", sections 3.4 and 4.1).

// Names of the auxiliary heads, by which replay knows what they learn, too.
const (
	reply      = "reply"
	softPolicy = "soft_policy"
	occupancy  = "occupancy"
)

// replyHead guesses the opponent's next move, see movesHead. No move is masked: which are legal then depends on the move in
// between.
var replyHead = movesHead(reply, false, func(cfg Config) float64 { return cfg.ReplyWeight })

// softPolicyHead guesses the policy target of the position itself at a high temperature, pi^(1/4) divided by the sum over the
// moves, over the legal moves. So it has to tell apart moves of little weight, of which the policy's loss says next to nothing
// (KataGoMethods, "Auxiliary Soft Policy Target").
var softPolicyHead = movesHead(softPolicy, true, func(cfg Config) float64 { return cfg.SoftPolicyWeight })

// movesHead is an auxiliary head with the layers of policyHead, for logits [batch, actions]. Its loss is the cross-entropy of its
// target [batch, actions] and the softmax, over the legal moves or over all, 0 in rows without a target.
func movesHead(name string, legal bool, weight func(Config) float64) head {
	return head{
		name:      name,
		auxiliary: true,
		weight:    weight,
		target:    func(shape Shape) int { return shape.Actions },
		build:     policyLogits(name),
		loss: func(l *loss, logits *node) *node {
			if legal {
				logits = add(logits, l.mask)
			}
			return scale(sum(multiply(l.targets[name], logSoftmax(logits))), -1/float64(l.batch))
		},
	}
}

// holders is the number of those who may hold a cell: the side to move, its opponent, nobody.
const holders = 3

// occupancyHead gives logits [batch*H*W, holders] for who holds each cell in the last position of the game. Its loss is the
// cross-entropy of the truth and the softmax, the mean over the cells, 0 in rows without a target. It is what KataGo's head for
// ownership is to Go.
var occupancyHead = head{
	name:      occupancy,
	auxiliary: true,
	weight:    func(cfg Config) float64 { return cfg.OccupancyWeight },
	target:    func(shape Shape) int { return holders * shape.cells() },
	build: func(p *plan, width int) part {
		out := p.layer("occupancy.out", headGain, holders, width, 1, 1)
		return func(b *builder, x *node) *node { return b.dense(x, out, linear) }
	},
	loss: func(l *loss, logits *node) *node {
		target := l.targets[occupancy] // [batch, H*W*holders]
		logP := reshape(logSoftmax(logits), target.Shape()...)
		return scale(sum(multiply(target, logP)), -holders/float64(target.Shape().TotalSize()))
	},
}
