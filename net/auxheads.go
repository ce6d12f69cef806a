package net

// Auxiliary heads exist only for training. Predicting more about a game teaches the trunk sooner what matters (Wu 2019,
// "Accelerating Self-Play Learning in Go", sections 3.4 and 4.1).

// Names of the auxiliary heads. Package replay fills their targets.
const (
	reply      = "reply"
	softPolicy = "soft_policy"
	occupancy  = "occupancy"
)

// replyHead predicts the opponent's next move. Legal replies depend on the move before, so no move is masked.
var replyHead = movesHead(reply, false, func(cfg Config) float64 { return cfg.ReplyWeight })

// softPolicyHead predicts pi^(1/4), normalized over the legal moves. It trains on moves that hardly affect the policy
// loss (KataGoMethods, "Auxiliary Soft Policy Target").
var softPolicyHead = movesHead(softPolicy, true, func(cfg Config) float64 { return cfg.SoftPolicyWeight })

// movesHead returns an auxiliary head built like policyHead. Its loss is the cross-entropy between its target [batch,
// actions] and the softmax over the legal moves, or over all moves if legal is false. Rows without a target add 0.
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
			return scale(sum(multiply(l.targets[name], logSoftmax(logits))), -1/float64(l.rows))
		},
	}
}

// holders is the number of classes per cell: held by the side to move, by its opponent, or empty.
const holders = 3

// occupancyHead returns logits [batch*H*W, holders] for each cell's final class. Its loss is the mean cross-entropy of
// the cells. Rows without a target add 0.
var occupancyHead = head{
	name:      occupancy,
	auxiliary: true,
	weight:    func(cfg Config) float64 { return cfg.OccupancyWeight },
	target:    func(shape Shape) int { return holders * shape.cells() },
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
