package net

import (
	"fmt"
	"maps"
	"slices"

	"tengen/internal/eventloop"
	"tengen/net/onnx"
)

// imageRange is some images of a batch, first to last-1, and scratch memory to compute them.
type imageRange struct {
	first, last, batch int
	scratch            []float32
}

// of returns the images' floats in memory, which has as many floats for each image of the batch.
func (r imageRange) of(memory []float32) []float32 {
	n := len(memory) / r.batch
	return memory[r.first*n : r.last*n]
}

// operation is a graph node with our own arithmetic. Unlike Gorgonia's, it keeps its result's memory between runs. It
// computes each image by itself, or a sum over images.
type operation struct {
	name  string // with the parameters, since it identifies the operation
	shape []int
	tanh  bool // run ends with tanh, which a device leaves to its caller
	// run overwrites the results of some images. Ranges may be computed at once.
	run func(in [][]float32, result []float32, r imageRange)
	// sum overwrites a portion of the result, the gradient of a weight or a loss, with its sum over some images. portion
	// counts from 0 to portions-1. Portions may be computed at once. One of them also overwrites the result of second.
	sum         func(in [][]float32, result, second []float32, r imageRange, portion, portions int)
	work        float64    // multiplications and additions of sum, about
	maxPortions int        // into which sum can be divided; 0 means 1
	second      *operation // a second result of sum, such as the bias's gradient; or nil
	// diff returns the gradients with respect to the inputs, nil for constant ones, from the result's. A nil diff means
	// none has a gradient.
	diff func(in []*node, result, grad *node) []*node
	// device adds the operation to a network on a device, whose memory holds its result and second's. It is nil for
	// operations of the loss.
	device func(d deviceCall)
	// constant holds the indices of inputs without a gradient.
	constant map[int]bool
	// onnx adds the operation to a file. It is nil for operations of training alone.
	onnx func(g *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor

	inputs []*node
	memory []float32   // of the result
	in     [][]float32 // of the last run's inputs
	whole  imageRange  // the batch, for Gorgonia
}

// compute computes the result for some images. A scalar that is no sum has none.
func (op *operation) compute(r imageRange) {
	switch {
	case op.sum != nil:
		op.sum(op.in, op.memory, op.secondMemory(), r, 0, 1)
	case op.run != nil:
		if len(op.memory) == 1 {
			r.first, r.last, r.batch = 0, 1, 1
		}
		op.run(op.in, op.memory, r)
	}
}

func (op *operation) secondMemory() []float32 {
	if op.second == nil {
		return nil
	}
	return op.second.memory
}

// tape is a graph's operations in the order of Gorgonia's machine. Inputs and results stay in place, so computing them
// again computes the same. Every image can go by itself through the operations that are no sums. Scalars follow from
// sums.
//
// The machine hands every run to a new goroutine and holds on to its own thread. The two threads alternate, which costs
// a quarter of the speed with two workers. Gorgonia also allocates to add a node's gradients.
type tape struct{ operations, scalars []*operation }

// record runs the graph once and returns its tape, without what is constant.
func record(g *graph, whole imageRange) (t tape) {
	constant, summed := make(map[*float32]bool), make(map[*float32]bool)
	if g.one != nil {
		constant[&memory(g.one)[0]] = true
	}
	for _, op := range g.operations(whole) {
		first := &op.memory[0]
		switch {
		case !slices.ContainsFunc(op.in, func(in []float32) bool { return !constant[&in[0]] }):
			constant[first] = true
		case op.run == nil: // a sum
			summed[first] = true
			if op.sum != nil {
				t.operations = append(t.operations, op)
			}
		case slices.ContainsFunc(op.in, func(in []float32) bool { return summed[&in[0]] }):
			if len(op.memory) > 1 {
				panic(fmt.Sprintf("net: %s %v follows from a sum over the batch", op.name, op.shape))
			}
			summed[first] = true
			t.scalars = append(t.scalars, op)
		default:
			t.operations = append(t.operations, op)
		}
	}
	return t
}

// sums returns the operations that are sums.
func (t tape) sums() (sums []*operation) {
	return slices.DeleteFunc(slices.Clone(t.operations), func(op *operation) bool { return op.sum == nil })
}

// reuse moves results, except kept and sums, into the memory of earlier ones that no later operation reads, to take
// less space in the caches. An image has the same part of both. If sumsLast is true, sums are computed after all other
// operations. Operations must read only through op.in. Views must start at element 0: its address identifies memory.
func (t tape) reuse(sumsLast bool, kept ...[]float32) {
	for _, op := range t.sums() {
		kept = append(kept, op.memory)
		if sumsLast {
			kept = append(kept, op.in...)
		}
	}
	stays := make(map[*float32]bool)
	for _, result := range kept {
		stays[&result[0]] = true
	}
	known := maps.Clone(stays)
	ends := make([][]*float32, len(t.operations)) // by operation: the results that no later operation reads
	for i, op := range slices.Backward(t.operations) {
		for _, in := range op.in {
			if first := &in[0]; !known[first] {
				known[first] = true
				ends[i] = append(ends[i], first)
			}
		}
	}
	free := make(map[int][][]float32)     // by length
	place := make(map[*float32][]float32) // new memory of results, by the old
	for i, op := range t.operations {
		first, size := &op.memory[0], len(op.memory)
		if n := len(free[size]) - 1; n >= 0 && !stays[first] {
			op.memory, free[size] = free[size][n], free[size][:n]
		}
		place[first] = op.memory
		for j, in := range op.in {
			if memory, ok := place[&in[0]]; ok {
				op.in[j] = memory
			}
		}
		for _, first := range ends[i] {
			if memory, ok := place[first]; ok {
				free[len(memory)] = append(free[len(memory)], memory)
			}
		}
	}
}

// play takes some images through the operations. It calls sum for those that are sums, unless it is nil.
func (t tape) play(r imageRange, sum func(op *operation)) {
	for _, op := range t.operations {
		eventloop.Yield()
		if op.run != nil {
			op.run(op.in, op.memory, r)
		} else if sum != nil {
			sum(op)
		}
	}
}

// aroundLoss sorts a training tape: operations before the loss, the operations of the loss, which a device cannot
// compute, and operations that depend on them.
func (t tape) aroundLoss() (forward, loss, backward []*operation) {
	follows, last := make(map[*float32]bool), make(map[*float32]bool)
	from := func(op *operation, set map[*float32]bool) bool {
		return slices.ContainsFunc(op.in, func(in []float32) bool { return set[&in[0]] })
	}
	for _, op := range t.operations {
		first := &op.memory[0]
		switch {
		case op.device != nil && !from(op, follows):
			forward = append(forward, op)
			continue
		case op.device != nil:
			backward = append(backward, op)
			last[first] = true
		case from(op, last):
			panic(fmt.Sprintf("net: %s %v follows from a gradient, but has no form for a device", op.name, op.shape))
		default:
			loss = append(loss, op)
		}
		follows[first] = true
	}
	return forward, loss, backward
}
