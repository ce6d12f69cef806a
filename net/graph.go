package net

import (
	"fmt"
	"hash"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tengen/net/onnx"
)

// init disables package tensor's free list, which can deadlock when goroutines return tensors at once.
func init() { tensor.DontUsePool() }

// building guards the construction of graphs, which uses Gorgonia's global state.
var building sync.Mutex

type node = gorgonia.Node

// graph is a Gorgonia graph. Its inputs are bound to zero tensors to fill.
type graph struct {
	*gorgonia.ExprGraph
	salt  string // see distinct
	first *node  // input
}

func newGraph(salt string) *graph { return &graph{ExprGraph: gorgonia.NewGraph(), salt: salt} }

func (g *graph) input(name string, shape ...int) *node {
	zeros := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(shape...))
	n := gorgonia.NewTensor(g.ExprGraph, tensor.Float32, len(shape),
		gorgonia.WithName(name+g.salt), gorgonia.WithShape(shape...), gorgonia.WithValue(zeros))
	if g.first == nil {
		g.first = n
	}
	return n
}

// memory returns the memory of an input or a result.
func memory(n *node) []float32 { return floats(n.Value()) }

func floats(v gorgonia.Value) []float32 { return v.Data().([]float32) }

func (g *graph) differentiate(scalars, inputs []*node) []*node {
	one := g.input("one", 1)
	memory(one)[0] = 1
	gradients, err := gorgonia.Backpropagate(scalars, slices.Repeat(gorgonia.Nodes{one}, len(scalars)), inputs)
	if err != nil {
		panic(err)
	}
	return gradients
}

// operation is a graph node with our own arithmetic. Unlike Gorgonia's, it keeps its result's memory between runs. It
// therefore belongs to one graph, and a graph to one goroutine at a time.
type operation struct {
	name  string // with the parameters, since it identifies the operation
	shape tensor.Shape
	// run overwrites the result.
	run func(in [][]float32, result []float32)
	// diff returns the gradients with respect to the inputs, nil for constant ones, from the result's. A nil diff means
	// none has a gradient.
	diff func(in []*node, result, grad *node) []*node
	// constant holds the indices of inputs without a gradient.
	constant map[int]bool
	// onnx adds the operation to a file. It is nil for operations of training alone.
	onnx func(g *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor

	inputs []*node
	result *tensor.Dense
	memory []float32   // of result
	in     [][]float32 // of the last run's inputs
}

var _ gorgonia.SDOp = (*operation)(nil)

func apply(op *operation, inputs ...*node) *node {
	op.inputs = inputs
	op.in = make([][]float32, len(inputs))
	op.result = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(op.shape...))
	op.memory = floats(op.result)
	return gorgonia.Must(gorgonia.ApplyOp(op, inputs...))
}

// Arity returns the number of inputs.
func (op *operation) Arity() int { return len(op.inputs) }

// Type returns the type of a function of tensors.
func (op *operation) Type() hm.Type {
	var types []hm.Type
	for _, n := range op.inputs {
		types = append(types, gorgonia.TensorType{Dims: n.Dims(), Of: hm.TypeVariable('a')})
	}
	return hm.NewFnType(append(types, gorgonia.TensorType{Dims: op.shape.Dims(), Of: hm.TypeVariable('a')})...)
}

// InferShape returns the shape of the result.
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

func (op *operation) again() { op.run(op.in, op.memory) }

// DiffWRT reports which inputs have gradients.
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

// ReturnsPtr returns false: the result is no pointer to an input.
func (op *operation) ReturnsPtr() bool { return false }

// CallsExtern returns false: no other device is in use.
func (op *operation) CallsExtern() bool { return false }

// OverwritesInput returns -1: the result has separate memory.
func (op *operation) OverwritesInput() int { return -1 }

// WriteHash writes the operation's identity.
func (op *operation) WriteHash(h hash.Hash) { fmt.Fprint(h, op.String()) }

// Hashcode returns a 32-bit hash of the identity.
func (op *operation) Hashcode() uint32 {
	h := fnv.New32a()
	op.WriteHash(h)
	return h.Sum32()
}

// String returns the name and the shape of the result.
func (op *operation) String() string { return fmt.Sprint(op.name, op.shape) }

// newMachine returns Gorgonia's machine for a complete graph.
//
// Gorgonia lets an operation overwrite an input that nothing reads later, but not derivatives of inputs. A reshaped
// value shares memory with its original, which Gorgonia ignores. newMachine therefore declares every node a derivative
// of planes, whose derivative is not needed.
func newMachine(g *graph) gorgonia.VM {
	for _, n := range g.AllNodes() {
		gorgonia.SetDerivOf(n, g.first)
	}
	return gorgonia.NewTapeMachine(g.ExprGraph)
}

// distinct returns the first graph of build whose nodes have unique hashes. build must add the salt to the inputs'
// names, on which all hashes depend.
//
// Gorgonia identifies nodes by 32-bit hashes and computes only one of two with equal hashes. The chance is 1 in 13,000
// for 800 nodes, the loss of five residual blocks.
func distinct(build func(salt string) *network) *network {
	for salt := ""; ; salt += "'" {
		if n := build(salt); !collides(n.graph) {
			return n
		}
	}
}

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

// tape is a graph's operations in the order of Gorgonia's machine. Inputs and results stay in place, so playing the
// tape computes the same.
//
// The machine hands every run to a new goroutine and holds on to its own thread. The two threads alternate, which costs
// a quarter of the speed with two workers. Gorgonia also allocates to add a node's gradients.
type tape []*operation

// record runs the graph once and returns its tape. It panics at nodes other than operations, additions and views.
func record(g *graph) tape {
	machine := newMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
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

// reuse moves results, except kept, into the memory of earlier ones that no later operation reads, to take less space
// in the caches. Operations must read only through op.in. Views must start at element 0: its address identifies memory.
func (t tape) reuse(kept ...[]float32) {
	stays := make(map[*float32]bool)
	for _, result := range kept {
		stays[&result[0]] = true
	}
	known := maps.Clone(stays)
	ends := make([][]*float32, len(t)) // by operation: the results that no later operation reads
	for i, op := range slices.Backward(t) {
		for _, in := range op.in {
			if first := &in[0]; !known[first] {
				known[first] = true
				ends[i] = append(ends[i], first)
			}
		}
	}
	free := make(map[int][][]float32)     // by length
	place := make(map[*float32][]float32) // new memory of results, by the old
	for i, op := range t {
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

func (t tape) play() {
	for _, op := range t {
		op.again()
	}
}
