package net

import (
	"fmt"
	"slices"

	"tengen/internal/kernel"
	"tengen/internal/parallel"
	"tengen/internal/portable"
)

// Batch is training samples in the layout of the network's inputs.
type Batch struct {
	Planes []float32 // [B, planes, H, W]
	Pi     []float32 // [B, Actions]: policy targets; each sums to 1, or is all 0 and adds no loss
	Legal  []float32 // [B, Actions]: 1 for legal moves, else 0
	Z      []float32 // [B]: value targets in [-1, 1] for the side to move

	// Targets holds auxiliary heads' targets, [B, n], by head.
	Targets map[string][]float32
}

// Trainer computes the loss and its gradient for batches of one size, with its own weights. A Trainer is not safe for
// concurrent use, but several may share a larger batch, each in its own goroutine. The caller then adds their gradients
// in a fixed order, changes the weights, and loads them with LoadAll.
type Trainer struct {
	network   *network
	tape      tape
	weights   *Weights // the graph's memory
	batch     *Batch
	mask      []float32 // the graph's memory
	gradients []Param   // the graph's memory

	logPolicy []float32   // [B, Actions] of the last run
	names     []string    // Config.Terms
	terms     [][]float32 // [1] each: the last run's losses
	weighted  [][]float32 // [1] each
}

// NewTrainer compiles the loss of the network of w for batches of at least 1, and loads w. Run uses at most the given
// number of cores, which does not change its results. NewTrainer panics when w lacks auxiliary heads, as a
// published model does.
func NewTrainer(w *Weights, batch, cores int) *Trainer {
	checkBatch(batch)
	building.Lock()
	defer building.Unlock()
	var l *loss
	n := distinct(func(salt string) *network {
		n := newNetwork(kernel.Set{}, w.Config, w.Shape, true, batch, salt)
		l = n.addLoss()
		return n
	})
	n.builder.divide(cores)
	t := &Trainer{
		network:   n,
		tape:      record(n.graph),
		weights:   n.bind(),
		batch:     l.newBatch(n.planes),
		mask:      memory(l.mask),
		gradients: n.bind().Params,
		logPolicy: memory(l.logPolicy),
		names:     w.Config.Terms(),
	}
	for i, term := range l.terms {
		t.terms = append(t.terms, memory(term))
		t.weighted = append(t.weighted, memory(l.weighted[i]))
	}
	kept := slices.Concat([][]float32{t.logPolicy}, t.terms, t.weighted)
	for i, g := range l.gradients {
		t.gradients[i].Data = memory(g)
		kept = append(kept, t.gradients[i].Data)
	}
	t.tape.reuse(kept...)
	t.Load(w)
	return t
}

// Load replaces the weights. It panics when the architecture differs.
func (t *Trainer) Load(w *Weights) { LoadAll(w, t) }

// LoadAll replaces the weights of trainers for equal batches. They then share transformed filters, of which each computes
// some. None may run meanwhile, and later loads must be for all of them. LoadAll panics when the architecture differs.
func LoadAll(w *Weights, trainers ...*Trainer) {
	for _, t := range trainers {
		for i, d := range t.network.builder.derived {
			d.memory = trainers[i%len(trainers)].network.builder.derived[i].memory
		}
	}
	parallel.For(len(trainers), func(i int) {
		trainers[i].weights.CopyFrom(w)
		trainers[i].network.builder.updatePart(i, len(trainers))
	})
}

// Batch returns the inputs' memory, to fill before Run.
func (t *Trainer) Batch() *Batch { return t.batch }

// Gradients returns the derivatives of Losses.Total by parameter. Each Run overwrites them.
func (t *Trainer) Gradients() []Param { return t.gradients }

// Run computes the batch's losses and their gradients. It returns an error when the loss is not finite.
func (t *Trainer) Run() (Losses, error) {
	for i, legal := range t.batch.Legal {
		t.mask[i] = (1 - legal) * illegal
	}
	t.network.hide(len(t.batch.Z))
	t.tape.play()
	l := Losses{Entropy: meanEntropy(t.logPolicy, len(t.batch.Z))}
	for i, name := range t.names {
		l.Terms = append(l.Terms, Term{name, t.terms[i][0]})
		l.Total += t.weighted[i][0]
	}
	if !finite(l.Total) {
		return l, fmt.Errorf("net: the loss is not finite (%s): go back to an earlier checkpoint and lower the learning rate", l.terms())
	}
	return l, nil
}

func meanEntropy(logPolicy []float32, rows int) float32 {
	sum := 0.0
	for _, logP := range logPolicy {
		sum -= float64(portable.Exp(float64(logP)) * float64(logP))
	}
	return float32(sum / float64(rows))
}
