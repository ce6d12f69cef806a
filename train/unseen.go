package train

import (
	"fmt"
	"math"

	"tengen/game"
	"tengen/internal/portable"
	"tengen/net"
	"tengen/train/checkpoint"
)

const (
	unseenRows  = 512
	unseenBatch = 32 // rows evaluated at a time
)

// unseenLosses returns the mean losses of the learner's weights on positions of the newest games, before it learns from
// them. It changes nothing.
func (l *Learner) unseenLosses(w Window, games int) (u checkpoint.Unseen, err error) {
	if l.inference == nil {
		l.inference = net.NewInference(l.weights, unseenBatch)
		l.unseen = game.NewBatch(unseenRows, len(l.inference.Input(0)), l.weights.Shape.Actions)
	}
	l.inference.Load(l.weights)
	b, input, actions := l.unseen, len(l.inference.Input(0)), l.weights.Shape.Actions
	rows := w.Newest(games, b)
	for first := 0; first < rows; first += unseenBatch {
		n := min(unseenBatch, rows-first)
		for i := range n {
			copy(l.inference.Input(i), b.Planes[(first+i)*input:])
		}
		l.inference.Forward(n)
		for i := range n {
			row := first + i
			miss := float64(l.inference.Value(i) - b.Z[row])
			u.UnseenValueLoss += miss * miss / float64(rows)
			offset := row * actions
			u.UnseenPolicyLoss += crossEntropy(l.inference.Logits(i), b.Legal[offset:], b.Pi[offset:]) / float64(rows)
		}
	}
	if !finite(u.UnseenValueLoss + u.UnseenPolicyLoss) {
		err = l.diverged(fmt.Errorf("the losses on new positions are %v and %v: lower the learning rate", u.UnseenValueLoss, u.UnseenPolicyLoss))
	}
	return u, err
}

// crossEntropy returns -sum_a pi(a) log p(a), where p is the softmax of the logits [actions] over the legal moves. Only
// the first row [actions] of legal and of pi is read.
func crossEntropy(logits, legal, pi []float32) (loss float64) {
	highest := math.Inf(-1)
	for a, x := range logits {
		if legal[a] > 0 {
			highest = max(highest, float64(x))
		}
	}
	sum := 0.0
	for a, x := range logits {
		if legal[a] > 0 {
			sum += portable.Exp(float64(x) - highest)
		}
	}
	for a, x := range logits {
		if pi[a] > 0 {
			loss += float64(float64(pi[a]) * (highest + portable.Log(sum) - float64(x)))
		}
	}
	return loss
}
