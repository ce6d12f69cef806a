package net

import (
	"fmt"

	"tengen/internal/kernel"
)

// Inference is a network compiled for one batch size, with its own weights. It is not safe for concurrent use; several
// may run at once.
type Inference struct {
	network *network
	tape    tape
	weights *Weights  // the graph's memory
	planes  []float32 // [batch, planes, H, W]
	logits  []float32 // [batch, actions]
	value   []float32 // [batch]
}

// NewInference compiles the network of w for batches of at least 1, and loads w.
func NewInference(w *Weights, batch int) *Inference { return newInference(kernel.Set{}, w, batch) }

func newInference(set kernel.Set, w *Weights, batch int) *Inference {
	checkBatch(batch)
	building.Lock()
	defer building.Unlock()
	n := distinct(func(salt string) *network { return newNetwork(set, w.Config, w.Shape, false, batch, salt) })
	inf := &Inference{
		network: n,
		tape:    record(n.graph),
		weights: n.bind(),
		planes:  memory(n.planes),
		logits:  memory(n.outputs[policyHead.name]),
		value:   memory(n.outputs[valueHead.name]),
	}
	inf.Load(w)
	return inf
}

func checkBatch(batch int) {
	if batch < 1 {
		panic(fmt.Sprintf("net: batch of %d rows", batch))
	}
}

// Load replaces the weights. It panics when the architecture differs.
func (inf *Inference) Load(w *Weights) {
	inf.weights.CopyFrom(w)
	inf.network.builder.version++
}

// Batch returns the number of rows.
func (inf *Inference) Batch() int { return inf.network.batch }

// Input returns the memory of row i, [planes, H, W], for Forward.
func (inf *Inference) Input(i int) []float32 {
	n := inf.weights.Shape.inputLen()
	return inf.planes[i*n : (i+1)*n : (i+1)*n]
}

// Forward evaluates the first n rows, 1 to Batch, in time proportional to n. The other outputs are undefined. It panics
// when n is out of range.
func (inf *Inference) Forward(n int) {
	if n < 1 || n > inf.network.batch {
		panic(fmt.Sprintf("net: Forward of %d rows in a batch of %d", n, inf.network.batch))
	}
	inf.network.builder.images = n
	inf.network.hide(n)
	inf.tape.play()
}

// Logits returns row i's logits, [Actions], legal or not, until the next Forward.
func (inf *Inference) Logits(i int) []float32 {
	n := inf.weights.Shape.Actions
	return inf.logits[i*n : (i+1)*n : (i+1)*n]
}

// Value returns row i's expected outcome for the side to move, in [-1, 1].
func (inf *Inference) Value(i int) float32 { return inf.value[i] }
