package net

import (
	"slices"
	"sync"
)

// A network in a browser only evaluates, and Gorgonia would be most of what a visitor has to load. This file replaces
// graph.go there: it makes the same graphs, without gradients.

// building guards the construction of graphs.
var building sync.Mutex

// node is an input, the result of an operation, or a view of one of them.
type node struct {
	graph     *graph
	shape     []int
	memory    []float32
	operation *operation // nil for an input
	viewed    *node      // nil unless it is a view
}

// Shape returns the size of each dimension.
func (n *node) Shape() []int { return n.shape }

// graph is the operations of a network, each after those that it reads from.
type graph struct {
	list []*operation
	one  *node // nil: nothing is differentiated
}

func newGraph(string) *graph { return &graph{} }

func (g *graph) input(_ string, shape ...int) *node {
	return &node{graph: g, shape: shape, memory: make([]float32, size(shape))}
}

// memory returns the memory of an input or a result.
func memory(n *node) []float32 { return n.memory }

// reshape returns x in another shape, in the same memory.
func reshape(x *node, shape ...int) *node {
	return &node{x.graph, shape, x.memory, x.operation, x}
}

// operands returns the nodes that n is computed from.
func (g *graph) operands(n *node) []*node {
	if n.viewed != nil {
		return []*node{n.viewed}
	}
	return n.operation.inputs
}

func (g *graph) differentiate([]*node, []*node) []*node {
	panic("net: networks in a browser have no gradients")
}

func apply(op *operation, inputs ...*node) *node {
	op.inputs, op.memory = inputs, make([]float32, size(op.shape))
	for _, n := range inputs {
		op.in = append(op.in, n.memory)
	}
	g := inputs[0].graph
	g.list = append(g.list, op)
	return &node{graph: g, shape: slices.Clone(op.shape), memory: op.memory, operation: op}
}

// operationOf returns nil for inputs and views.
func operationOf(n *node) *operation {
	if n.viewed != nil {
		return nil
	}
	return n.operation
}

func distinct(build func(salt string) *network) *network { return build("") }

// operations runs the graph once and returns its operations.
func (g *graph) operations(whole imageRange) []*operation {
	for _, op := range g.list {
		op.compute(whole)
	}
	return g.list
}
