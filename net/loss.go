package net

import "tengen/game"

// illegal is added to illegal moves' logits: their probability becomes exactly 0. 0 times infinity would be NaN.
const illegal = -1e9

// loss extends a network's graph with AlphaZero's loss (Silver et al. 2018, Methods, equation 1):
//
//	total = mean_b (v - z)^2  -  mean_b sum_a pi(a) log p(a)
//
// with p the softmax over the legal moves, plus the weighted losses of auxiliary heads. The optimizer adds the
// equation's penalty c |theta|^2.
type loss struct {
	rows    int              // of a mean: the whole batch, or each of its micro-batches
	pi      *node            // [batch, actions] input: target policy
	mask    *node            // [batch, actions] input: 0 for legal moves, else illegal
	z       *node            // [batch] input: value target in [-1, 1]
	targets map[string]*node // [batch, head.target] inputs, by the head's name

	logPolicy *node   // [batch, actions]: log p
	terms     []*node // scalars, by head
	weighted  []*node // scalars
	gradients []*node // of the sum of weighted, by parameter
}

// addLoss adds the loss, whose means are each over some rows of the batch.
func (n *network) addLoss(rows int) *loss {
	l := &loss{
		rows:    rows,
		pi:      n.input("pi", n.batch, n.shape.Actions),
		mask:    n.input("mask", n.batch, n.shape.Actions),
		z:       n.input("z", n.batch),
		targets: make(map[string]*node),
	}
	for _, h := range headsOf(n.cfg, n.purpose) {
		if h.target != nil {
			l.targets[h.name] = n.input(h.name+".target", n.batch, h.target(n.shape))
		}
		term := h.loss(l, n.outputs[h.name])
		l.terms = append(l.terms, term)
		if h.weight != nil {
			term = scale(term, h.weight(n.cfg))
		}
		l.weighted = append(l.weighted, term)
	}
	l.gradients = n.differentiate(l.weighted, n.params)
	return l
}

// newBatch returns a batch whose slices, except Legal, are the inputs' memory.
func (l *loss) newBatch(planes *node) *game.Batch {
	b := &game.Batch{
		Planes:  memory(planes),
		Pi:      memory(l.pi),
		Legal:   make([]float32, size(l.mask.Shape())),
		Z:       memory(l.z),
		Targets: make(map[string][]float32),
	}
	for name, target := range l.targets {
		b.Targets[name] = memory(target)
	}
	return b
}

// Losses are the terms of the loss, means over the batch.
type Losses struct {
	// Terms are the heads' losses: "value", (v - z)^2; "policy", -sum_a pi(a) log p(a), at least the entropy of pi; and
	// unweighted auxiliary losses.
	Terms   []Term
	Total   float32 // the weighted sum of Terms
	Entropy float32 // of the network's policy, -sum_a p(a) log p(a), in nats; not in Total
}

// Term is the loss of a head.
type Term struct {
	Name string // see Config.Terms
	Loss float32
}

// Add adds weight times other to l. Both are losses of the same network; l may be the zero value.
func (l *Losses) Add(other Losses, weight float32) {
	if l.Terms == nil {
		l.Terms = make([]Term, len(other.Terms))
	}
	for i, t := range other.Terms {
		l.Terms[i].Name = t.Name
		l.Terms[i].Loss += float32(weight * t.Loss)
	}
	l.Total += float32(weight * other.Total)
	l.Entropy += float32(weight * other.Entropy)
}
