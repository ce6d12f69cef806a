//go:build !js

package net

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// This file alone uses Gorgonia and its tensors. Everywhere else, a shape is []int and memory is []float32.

// init disables package tensor's free list, which can deadlock when goroutines return tensors at once.
func init() { tensor.DontUsePool() }

// building guards the construction of graphs, which uses Gorgonia's global state.
var building sync.Mutex

type node = gorgonia.Node

// graph is a Gorgonia graph. Its inputs are bound to zero tensors to fill.
type graph struct {
	nodes *gorgonia.ExprGraph
	salt  string // ends the inputs' names, so that another one gives all nodes other hashes, see distinct
	first *node  // input
	one   *node  // input, the derivative of each differentiated scalar by itself
}

func newGraph(salt string) *graph { return &graph{nodes: gorgonia.NewGraph(), salt: salt} }

func (g *graph) input(name string, shape ...int) *node {
	zeros := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(shape...))
	n := gorgonia.NewTensor(g.nodes, tensor.Float32, len(shape),
		gorgonia.WithName(name+g.salt), gorgonia.WithShape(shape...), gorgonia.WithValue(zeros))
	if g.first == nil {
		g.first = n
	}
	return n
}

// memory returns the memory of an input or a result.
func memory(n *node) []float32 { return floats(n.Value()) }

func floats(v gorgonia.Value) []float32 { return v.Data().([]float32) }

// reshape returns x in another shape, in the same memory.
func reshape(x *node, shape ...int) *node { return gorgonia.Must(gorgonia.Reshape(x, shape)) }

// operands returns the different nodes that n is computed from.
func (g *graph) operands(n *node) (list []*node) {
	for from := g.nodes.From(n.ID()); from.Next(); {
		list = append(list, from.Node().(*node))
	}
	return list
}

func (g *graph) differentiate(scalars, inputs []*node) []*node {
	g.one = g.input("one", 1)
	memory(g.one)[0] = 1
	gradients, err := gorgonia.Backpropagate(scalars, slices.Repeat(gorgonia.Nodes{g.one}, len(scalars)), inputs)
	if err != nil {
		panic(err)
	}
	return gradients
}

// adapter is an operation as Gorgonia sees it.
type adapter struct {
	*operation
	result *tensor.Dense // has the operation's memory
}

var _ gorgonia.SDOp = adapter{}

func apply(op *operation, inputs ...*node) *node {
	op.inputs, op.in, op.memory = inputs, make([][]float32, len(inputs)), make([]float32, size(op.shape))
	result := tensor.New(tensor.WithShape(op.shape...), tensor.WithBacking(op.memory))
	return gorgonia.Must(gorgonia.ApplyOp(adapter{op, result}, inputs...))
}

// operationOf returns nil for inputs, views and Gorgonia's own operations.
func operationOf(n *node) *operation {
	a, _ := n.Op().(adapter)
	return a.operation
}

// Arity returns the number of inputs.
func (a adapter) Arity() int { return len(a.inputs) }

// Type returns the type of a function of tensors.
func (a adapter) Type() hm.Type {
	var types []hm.Type
	for _, n := range a.inputs {
		types = append(types, gorgonia.TensorType{Dims: n.Dims(), Of: hm.TypeVariable('a')})
	}
	return hm.NewFnType(append(types, gorgonia.TensorType{Dims: len(a.shape), Of: hm.TypeVariable('a')})...)
}

// InferShape returns the shape of the result.
func (a adapter) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) {
	return slices.Clone(a.shape), nil
}

// Do computes the result.
func (a adapter) Do(inputs ...gorgonia.Value) (gorgonia.Value, error) {
	for i, v := range inputs {
		a.in[i] = floats(v)
	}
	a.compute(a.whole)
	return a.result, nil
}

// DiffWRT reports which inputs have gradients.
func (a adapter) DiffWRT(inputs int) []bool {
	wrt := make([]bool, inputs)
	for i := range wrt {
		wrt[i] = a.diff != nil && !a.constant[i]
	}
	return wrt
}

// SymDiff adds the gradients to the graph.
func (a adapter) SymDiff(inputs gorgonia.Nodes, result, grad *node) (gorgonia.Nodes, error) {
	return a.diff(inputs, result, grad), nil
}

// ReturnsPtr returns false: the result is no pointer to an input.
func (a adapter) ReturnsPtr() bool { return false }

// CallsExtern returns false: no other device is in use.
func (a adapter) CallsExtern() bool { return false }

// OverwritesInput returns -1: the result has separate memory.
func (a adapter) OverwritesInput() int { return -1 }

// WriteHash writes the operation's identity.
func (a adapter) WriteHash(h hash.Hash) { fmt.Fprint(h, a.String()) }

// Hashcode returns a 32-bit hash of the identity.
func (a adapter) Hashcode() uint32 {
	h := fnv.New32a()
	a.WriteHash(h)
	return h.Sum32()
}

// String returns the name and the shape of the result.
func (a adapter) String() string { return fmt.Sprint(a.name, a.shape) }

// newMachine returns Gorgonia's machine for a complete graph and its whole batch.
//
// Gorgonia lets an operation overwrite an input that nothing reads later, but not derivatives of inputs. A reshaped
// value shares memory with its original, which Gorgonia ignores. newMachine therefore declares every node a derivative
// of planes, whose derivative is not needed.
func newMachine(g *graph, whole imageRange) gorgonia.VM {
	for _, n := range g.nodes.AllNodes() {
		gorgonia.SetDerivOf(n, g.first)
		if op := operationOf(n); op != nil {
			op.whole = whole
		}
	}
	return gorgonia.NewTapeMachine(g.nodes)
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
	for _, n := range g.nodes.AllNodes() {
		if seen[n.Hashcode()] {
			return true
		}
		seen[n.Hashcode()] = true
	}
	return false
}

// operations runs the graph once, which gives every node its memory, and returns the operations in the order of
// Gorgonia's machine. It panics at nodes other than inputs, operations, views and additions.
func (g *graph) operations(whole imageRange) (list []*operation) {
	machine := newMachine(g, whole)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		panic(err)
	}
	sorted, err := gorgonia.Sort(g.nodes) // from the results to the inputs
	if err != nil {
		panic(err)
	}
	known := make(map[*float32]bool)
	for _, n := range slices.Backward(sorted) {
		op, first := operationOf(n), &memory(n)[0]
		if op == nil {
			if n.Op() == nil || known[first] {
				continue // an input or a view
			}
			op = g.addition(n)
		}
		known[first] = true
		list = append(list, op)
	}
	return list
}

// addition returns the operation of a node by which Gorgonia adds gradients. It panics at any other node.
func (g *graph) addition(n *node) *operation {
	operands := g.operands(n)
	if len(operands) == 1 { // added to itself
		operands = append(operands, operands[0])
	}
	if len(operands) != 2 || n.Op() != gorgonia.NewAddOp(operands[0], operands[1], gorgonia.ExecutionContext{}).Op {
		panic(fmt.Sprintf("net: %v is neither an operation of this package nor an addition", n))
	}
	return &operation{
		run: elements(addElements), memory: memory(n), in: [][]float32{memory(operands[0]), memory(operands[1])},
		device: func(d deviceCall) { d.Add(d.y, d.in(0), d.in(1)) },
	}
}
