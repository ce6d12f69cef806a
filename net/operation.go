package net

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// operation is a node of the graph whose arithmetic is our own: Gorgonia knows its shape and its gradient, and calls it.
// It keeps the memory of its result from run to run, where Gorgonia's operations ask for new memory each time. So it
// belongs to one graph, and the graph to one goroutine at a time.
type operation struct {
	name  string // with all that distinguishes it from others: what Gorgonia knows it by
	dims  []int  // number of axes of each input
	shape tensor.Shape
	// run overwrites the result, given the inputs.
	run func(in [][]float32, result []float32)
	// diff returns the gradient with respect to each input, given that with respect to the result: nil for those that none is
	// wanted of. nil: no input has one.
	diff func(in gorgonia.Nodes, result, grad *gorgonia.Node) gorgonia.Nodes
	// constant tells which inputs have no gradient, by index.
	constant map[int]bool

	result *tensor.Dense
	memory []float32   // of result
	in     [][]float32 // of the inputs, in the last run
}

var _ gorgonia.SDOp = (*operation)(nil)

// apply adds op to the graph of its inputs.
func apply(op *operation, inputs ...*gorgonia.Node) *gorgonia.Node {
	for _, n := range inputs {
		op.dims = append(op.dims, n.Shape().Dims())
	}
	op.in = make([][]float32, len(inputs))
	op.result = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(op.shape...))
	op.memory = floats(op.result)
	return gorgonia.Must(gorgonia.ApplyOp(op, inputs...))
}

// Arity is the number of inputs.
func (op *operation) Arity() int { return len(op.dims) }

// Type is that of a function of tensors.
func (op *operation) Type() hm.Type {
	var types []hm.Type
	for _, dims := range append(op.dims[:len(op.dims):len(op.dims)], op.shape.Dims()) {
		types = append(types, gorgonia.TensorType{Dims: dims, Of: hm.TypeVariable('a')})
	}
	return hm.NewFnType(types...)
}

// InferShape is the shape of the result.
func (op *operation) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) {
	return op.shape.Clone(), nil
}

// Do computes the result.
func (op *operation) Do(inputs ...gorgonia.Value) (gorgonia.Value, error) {
	for i, v := range inputs {
		op.in[i] = floats(v)
	}
	op.again()
	return op.result, nil
}

// again computes the result from what lies where the inputs of the last run lay.
func (op *operation) again() { op.run(op.in, op.memory) }

// DiffWRT tells which inputs have a gradient.
func (op *operation) DiffWRT(inputs int) []bool {
	wrt := make([]bool, inputs)
	for i := range wrt {
		wrt[i] = op.diff != nil && !op.constant[i]
	}
	return wrt
}

// SymDiff adds the gradients to the graph.
func (op *operation) SymDiff(inputs gorgonia.Nodes, result, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	return op.diff(inputs, result, grad), nil
}

// ReturnsPtr, CallsExtern and OverwritesInput tell Gorgonia that there is nothing special about the result.
func (op *operation) ReturnsPtr() bool     { return false }
func (op *operation) CallsExtern() bool    { return false }
func (op *operation) OverwritesInput() int { return -1 }

// WriteHash, Hashcode and String say what the operation is known by.
func (op *operation) WriteHash(h hash.Hash) { fmt.Fprint(h, op.String()) }
func (op *operation) Hashcode() uint32 {
	h := fnv.New32a()
	op.WriteHash(h)
	return h.Sum32()
}
func (op *operation) String() string { return fmt.Sprint(op.name, op.shape) }
