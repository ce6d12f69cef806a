package net

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"
	"strings"
	"sync"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tengen/net/onnx"
)

// This file alone knows how a graph is put together, differentiated and run, and ops.go what it is put together of.

// The free list that package tensor keeps by default blocks for ever when several goroutines return tensors at once.
func init() { tensor.DontUsePool() }

// building guards the construction of graphs: Gorgonia keeps state of the whole process while it builds one.
var building sync.Mutex

// node is an input of a graph or something that it computes.
type node = gorgonia.Node

// graph is a Gorgonia graph under construction or complete. Its inputs are bound to tensors of zeros for the caller to fill.
type graph struct {
	*gorgonia.ExprGraph
	salt  string // see distinct
	first *node  // the first input
}

func newGraph(salt string) *graph { return &graph{ExprGraph: gorgonia.NewGraph(), salt: salt} }

// input adds an input.
func (g *graph) input(name string, shape ...int) *node {
	zeros := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(shape...))
	n := gorgonia.NewTensor(g.ExprGraph, tensor.Float32, len(shape),
		gorgonia.WithName(name+g.salt), gorgonia.WithShape(shape...), gorgonia.WithValue(zeros))
	if g.first == nil {
		g.first = n
	}
	return n
}

// memory is that of an input, or of a result after a run.
func memory(n *node) []float32 { return floats(n.Value()) }

// floats is the memory of a float32 tensor.
func floats(v gorgonia.Value) []float32 { return v.Data().([]float32) }

// differentiate adds the gradients of the sum of some scalars with respect to the given inputs to the graph, and returns them.
func (g *graph) differentiate(scalars, inputs []*node) []*node {
	one := g.input("one", 1)
	memory(one)[0] = 1
	gradients, err := gorgonia.Backpropagate(scalars, slices.Repeat(gorgonia.Nodes{one}, len(scalars)), inputs)
	if err != nil {
		panic(err)
	}
	return gradients
}

// operation is a node of the graph whose arithmetic is our own: Gorgonia knows its shape and its gradient, and calls it.
// It keeps the memory of its result from run to run, where Gorgonia's operations ask for new memory each time. So it
// belongs to one graph, and the graph to one goroutine at a time.
type operation struct {
	name  string // with all that distinguishes it from others: what Gorgonia knows it by
	shape tensor.Shape
	// run overwrites the result, given the inputs.
	run func(in [][]float32, result []float32)
	// diff returns the gradient with respect to each input, given that with respect to the result, and nil for those in
	// constant. nil: no input has a gradient.
	diff func(in []*node, result, grad *node) []*node
	// constant holds the inputs that have no gradient, by index.
	constant map[int]bool
	// onnx adds the operation to a file. It is nil for one that a network does not need to play. Images are channels first there:
	// see Model.ONNX.
	onnx func(g *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor

	inputs []*node
	result *tensor.Dense
	memory []float32   // of result
	in     [][]float32 // of the inputs, in the last run
}

var _ gorgonia.SDOp = (*operation)(nil)

// apply adds op to the graph of its inputs.
func apply(op *operation, inputs ...*node) *node {
	op.inputs = inputs
	op.in = make([][]float32, len(inputs))
	op.result = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(op.shape...))
	op.memory = floats(op.result)
	return gorgonia.Must(gorgonia.ApplyOp(op, inputs...))
}

// Arity is the number of inputs.
func (op *operation) Arity() int { return len(op.inputs) }

// Type is that of a function of tensors.
func (op *operation) Type() hm.Type {
	var types []hm.Type
	for _, n := range op.inputs {
		types = append(types, gorgonia.TensorType{Dims: n.Dims(), Of: hm.TypeVariable('a')})
	}
	types = append(types, gorgonia.TensorType{Dims: op.shape.Dims(), Of: hm.TypeVariable('a')})
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

// DiffWRT reports which inputs have a gradient.
func (op *operation) DiffWRT(inputs int) []bool {
	wrt := make([]bool, inputs)
	for i := range wrt {
		wrt[i] = op.diff != nil && !op.constant[i]
	}
	return wrt
}

// SymDiff adds the gradients to the graph.
func (op *operation) SymDiff(inputs gorgonia.Nodes, result, grad *node) (gorgonia.Nodes, error) {
	return op.diff(inputs, result, grad), nil
}

// ReturnsPtr tells Gorgonia that the result is no pointer to an input.
func (op *operation) ReturnsPtr() bool { return false }

// CallsExtern tells Gorgonia that no other device computes.
func (op *operation) CallsExtern() bool { return false }

// OverwritesInput tells Gorgonia that the result has memory of its own.
func (op *operation) OverwritesInput() int { return -1 }

// WriteHash writes what the operation is known by.
func (op *operation) WriteHash(h hash.Hash) { fmt.Fprint(h, op.String()) }

// Hashcode is a short form of WriteHash.
func (op *operation) Hashcode() uint32 {
	h := fnv.New32a()
	op.WriteHash(h)
	return h.Sum32()
}

// String names the operation and the shape of its result.
func (op *operation) String() string { return fmt.Sprint(op.name, op.shape) }

// machine is Gorgonia's, for a compiled graph. It is not safe for concurrent use.
type machine struct {
	vm gorgonia.VM
}

// newMachine compiles a graph, which must be complete.
func newMachine(g *graph) machine {
	keepValues(g)
	return machine{gorgonia.NewTapeMachine(g.ExprGraph)}
}

// distinct returns the first graph of build in which every node has a hash of its own. build is given a salt that it must
// put into the names of the inputs, on which all hashes depend.
//
// Gorgonia knows nodes by a hash of 32 bits and computes only one of two that share it, and the results are wrong without
// a sign. The chance is 1 in 13,000 for a graph of 800 nodes, the loss of five residual blocks.
func distinct(build func(salt string) *network) *network {
	for salt := ""; ; salt += "'" {
		if n := build(salt); !collides(n.graph) {
			return n
		}
	}
}

// collides reports whether two nodes of the graph have the same hash.
func collides(g *graph) bool {
	seen := make(map[uint32]bool)
	for _, n := range g.AllNodes() {
		if seen[n.Hashcode()] {
			return true
		}
		seen[n.Hashcode()] = true
	}
	return false
}

// keepValues marks every value of the graph as needed for ever, so that none is overwritten.
//
// Gorgonia lets an operation write its result over an input that nothing reads later, but does not know that a reshaped
// value shares the memory of its original: it overwrites the latter while it is still in use, and even parameters. It
// spares the derivatives of inputs. So every node is declared to be one, of the first input, planes, of which no derivative
// is wanted.
func keepValues(g *graph) {
	for _, n := range g.AllNodes() {
		gorgonia.SetDerivOf(n, g.first)
	}
}

// run computes every node of the graph from what its inputs hold now.
func (m machine) run() error {
	defer m.vm.Reset()
	if err := m.vm.RunAll(); err != nil {
		return fmt.Errorf("net: the graph failed: %w", err)
	}
	return nil
}

// close releases what the machine holds outside of Go's memory.
func (m machine) close() { m.vm.Close() }

// tape is the operations of a graph in the order in which Gorgonia's machine runs them, with the memory of their inputs.
//
// That machine hands every run to a new goroutine while it holds on to its own thread. Two threads then change places for
// each batch, and a worker loses its core and what that has in its caches: with two workers, a quarter of the speed. As an
// operation's inputs and result stay where they are, playing the tape does the same without the machine.
//
// Where a node has several uses, Gorgonia adds up the gradients by an addition of its own, which asks for new memory in every
// run. On the tape that is an operation like the others, in the memory of its first run.
type tape []*operation

// record runs the graph once. It panics when something other than operations, additions, and views of their results is
// computed.
func record(g *graph) tape {
	m := newMachine(g)
	defer m.close()
	if err := m.run(); err != nil {
		panic(err)
	}
	sorted, err := gorgonia.Sort(g.ExprGraph) // from the results to the inputs
	if err != nil {
		panic(err)
	}
	var t tape
	known := make(map[*float32]bool)
	for _, n := range slices.Backward(sorted) {
		first := &memory(n)[0]
		switch op, ok := n.Op().(*operation); {
		case ok:
			t = append(t, op)
		case n.Op() == nil || known[first]:
		case strings.HasPrefix(n.Op().String(), "+ "):
			t = append(t, addition(g, n))
		default:
			panic(fmt.Sprintf("net: %v is not on the tape", n))
		}
		known[first] = true
	}
	return t
}

// addition is Gorgonia's addition of two nodes.
func addition(g *graph, n *node) *operation {
	op := &operation{run: addElements, memory: memory(n)}
	for operands := g.From(n.ID()); operands.Next(); {
		op.in = append(op.in, memory(operands.Node().(*node)))
	}
	if len(op.in) == 1 { // added to itself
		op.in = append(op.in, op.in[0])
	}
	return op
}

// play computes the graph from what its inputs hold now.
func (t tape) play() {
	for _, op := range t {
		op.again()
	}
}
