package net

// Auxiliary heads exist only for training. Predicting more about a game teaches the trunk sooner what matters (Wu 2019,
// "Accelerating Self-Play Learning in Go", sections 3.4 and 4.1).

// Names of the auxiliary heads. Package replay fills their targets.
const (
	reply      = "reply"
	softPolicy = "soft_policy"
	ownership  = "occupancy" // its name in files
)

// replyHead predicts the opponent's next move. Legality depends on the move in between, so it masks none.
var replyHead = movesHead(reply, false, func(cfg Config) float64 { return cfg.ReplyWeight })

// softPolicyHead predicts pi^(1/4), normalized over the legal moves. It trains on moves that hardly affect the policy
// loss (KataGoMethods, "Auxiliary Soft Policy Target").
var softPolicyHead = movesHead(softPolicy, true, func(cfg Config) float64 { return cfg.SoftPolicyWeight })

// movesHead returns an auxiliary policyHead. Its loss is the cross-entropy between its target [batch, actions] and the
// softmax over the legal moves, or over all: 0 in rows without a target.
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

// owners counts a cell's classes: the side to move, its opponent, empty.
const owners = 3

// ownershipHead returns logits [batch*H*W, owners] for each cell's final class. Its loss is the mean cross-entropy of
// the cells: 0 in rows without a target.
var ownershipHead = head{
	name:      ownership,
	auxiliary: true,
	weight:    func(cfg Config) float64 { return cfg.OccupancyWeight },
	target:    func(shape Shape) int { return owners * shape.cells() },
	build: func(p *plan, width int) part {
		out := p.layer("occupancy.out", headGain, owners, width, 1, 1)
		return func(b *builder, x *node) *node { return b.dense(x, out, linear) }
	},
	loss: func(l *loss, logits *node) *node {
		target := l.targets[ownership] // [batch, H*W*owners]
		logP := reshape(logSoftmax(logits), target.Shape()...)
		return scale(sum(multiply(target, logP)), -owners/float64(target.Shape().TotalSize()))
	},
}
