package net

import (
	"fmt"
	"math"

	"gorgonia.org/gorgonia"
)

// Trainer computes the loss and its gradient for batches of one size, with its own copy of the weights. It takes no step
// itself: several trainers may work on parts of a larger batch at once, each on its own goroutine, and the caller adds up
// their gradients in a fixed order, steps, and loads the new weights into each. A trainer is not safe for
// concurrent use.
type Trainer struct {
	network   *network
	machine   machine
	weights   *Weights // the graph's memory
	batch     Batch    // likewise, but for Legal
	mask      []float32
	params    []*gorgonia.Node
	gradients []Param

	logPolicy                []float32 // [B, Actions] of the last run
	value, policy, l2, total *gorgonia.F32
}

// Batch holds training samples, row by row. It has the layout of replay.Batch: either converts to the other.
type Batch struct {
	Planes []float32 // [B, game.Planes, H, W]: encoded positions
	Pi     []float32 // [B, Actions]: target policies, each sums to 1, 0 for illegal moves; all 0 to learn none
	Legal  []float32 // [B, Actions]: 1 for legal moves, else 0
	Z      []float32 // [B]: outcomes for the side to move, -1 to +1
}

// Losses are the terms of the loss, means over the batch in natural units.
type Losses struct {
	Value   float32 // (v - z)^2
	Policy  float32 // -sum_a pi_a log p_a, at least the entropy of pi
	L2      float32 // c |theta|^2
	Total   float32 // the sum of the three: what the gradient is of
	Entropy float32 // of the network's policy, -sum_a p_a log p_a, in nats: not part of the loss
}

// NewTrainer compiles the loss of the network of w for batches of the given size, at least 1, and loads w. l2 is the
// weight c of the regularisation, 0 for none; AlphaZero used 1e-4.
func NewTrainer(w *Weights, batch int, l2 float64) *Trainer {
	checkBatch(batch)
	building.Lock()
	defer building.Unlock()
	var loss *loss
	n := distinct(func(salt string) *network {
		n := newNetwork(w.Config, w.Shape, batch, salt)
		loss = n.addLoss(l2)
		return n
	})
	t := &Trainer{
		network: n,
		weights: n.bind(w.Config, w.Shape),
		batch: Batch{
			Planes: floats(n.planes.Value()),
			Pi:     floats(loss.pi.Value()),
			Legal:  make([]float32, batch*w.Shape.Actions),
			Z:      floats(loss.z.Value()),
		},
		mask:      floats(loss.mask.Value()),
		params:    n.params,
		gradients: newParams(w.Config, w.Shape),
		logPolicy: output(loss.logPolicy),
		value:     scalarOutput(loss.value),
		policy:    scalarOutput(loss.policy),
		l2:        scalarOutput(loss.l2),
		total:     scalarOutput(loss.total),
		machine:   newMachine(n),
	}
	t.Load(w)
	return t
}

// Load replaces the weights. It panics when the architecture differs.
func (t *Trainer) Load(w *Weights) {
	t.weights.CopyFrom(w)
	*t.network.version++
}

// Batch is the memory of the trainer's inputs: fill its slices, all of them, before Run.
func (t *Trainer) Batch() Batch { return t.batch }

// Gradients are the derivatives of Losses.Total with respect to each parameter, in the order of the parameters, as of the
// last Run, which overwrites them.
func (t *Trainer) Gradients() []Param { return t.gradients }

// Run computes the losses and the gradients for what the batch holds. It returns an error when the loss is not finite.
func (t *Trainer) Run() (Losses, error) {
	for i, legal := range t.batch.Legal {
		t.mask[i] = (1 - legal) * illegal
	}
	if err := t.machine.run(); err != nil {
		return Losses{}, err
	}
	for i, p := range t.params {
		gradient, err := p.Grad()
		if err != nil {
			return Losses{}, fmt.Errorf("net: gradient of %s: %w", t.gradients[i].Name, err)
		}
		copy(t.gradients[i].Data, floats(gradient))
	}
	l := Losses{
		Value:   float32(*t.value),
		Policy:  float32(*t.policy),
		L2:      float32(*t.l2),
		Total:   float32(*t.total),
		Entropy: meanEntropy(t.logPolicy, len(t.batch.Z)),
	}
	if !finite(l.Total) {
		return l, fmt.Errorf("net: the loss is not finite (value %v, policy %v, l2 %v): go back to an earlier checkpoint and lower the learning rate",
			l.Value, l.Policy, l.L2)
	}
	return l, nil
}

// Close ends the use of the graph.
func (t *Trainer) Close() { t.machine.close() }

// meanEntropy is the mean entropy of the rows of a matrix of log-probabilities.
func meanEntropy(logPolicy []float32, rows int) float32 {
	sum := 0.0
	for _, logP := range logPolicy {
		sum -= math.Exp(float64(logP)) * float64(logP)
	}
	return float32(sum / float64(rows))
}
