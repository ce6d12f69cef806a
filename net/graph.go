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
	one   *node  // input, see differentiate
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
	g.one = g.input("one", 1)
	memory(g.one)[0] = 1
	gradients, err := gorgonia.Backpropagate(scalars, slices.Repeat(gorgonia.Nodes{g.one}, len(scalars)), inputs)
	if err != nil {
		panic(err)
	}
	return gradients
}

// part is some images of a batch, first to last-1, and scratch memory to compute them.
type part struct {
	first, last, batch int
	scratch            []float32
}

// of returns the part's share of memory, which has as many floats for each image of the batch.
func (p part) of(memory []float32) []float32 {
	n := len(memory) / p.batch
	return memory[p.first*n : p.last*n]
}

// operation is a graph node with our own arithmetic. Unlike Gorgonia's, it keeps its result's memory between runs. It
// computes each image by itself, or a sum over images.
type operation struct {
	name  string // with the parameters, since it identifies the operation
	shape tensor.Shape
	// run overwrites a part of the result. Parts may be computed at once.
	run func(in [][]float32, result []float32, p part)
	// sum overwrites a share of the result, the gradient of a weight or a loss, with its sum over the images of a part.
	// Shares may be computed at once. One of them overwrites the result of also, too.
	sum    func(in [][]float32, result, also []float32, p part, share, shares int)
	work   float64    // multiplications and additions of sum, about
	shares int        // beyond which they are empty; 0 means 1
	also   *operation // which has neither run nor sum; or nil
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
	whole  part        // the batch, for Gorgonia
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
	op.compute(op.whole)
	return op.result, nil
}

// compute computes the result for a part of the batch. A scalar has no parts.
func (op *operation) compute(p part) {
	if len(op.memory) == 1 {
		p.first, p.last, p.batch = 0, 1, 1
	}
	switch {
	case op.run != nil:
		op.run(op.in, op.memory, p)
	case op.sum != nil:
		op.sum(op.in, op.memory, op.alsoMemory(), op.whole, 0, 1)
	}
}

func (op *operation) alsoMemory() []float32 {
	if op.also == nil {
		return nil
	}
	return op.also.memory
}

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

// newMachine returns Gorgonia's machine for a complete graph and its whole batch.
//
// Gorgonia lets an operation overwrite an input that nothing reads later, but not derivatives of inputs. A reshaped
// value shares memory with its original, which Gorgonia ignores. newMachine therefore declares every node a derivative
// of planes, whose derivative is not needed.
func newMachine(g *graph, whole part) gorgonia.VM {
	for _, n := range g.AllNodes() {
		gorgonia.SetDerivOf(n, g.first)
		if op, ok := n.Op().(*operation); ok {
			op.whole = whole
		}
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

// tape is a graph's operations in the order of Gorgonia's machine. Inputs and results stay in place, so computing them
// again computes the same. Every part of a batch can go by itself through the operations that are no sums. Scalars follow
// from sums.
//
// The machine hands every run to a new goroutine and holds on to its own thread. The two threads alternate, which costs
// a quarter of the speed with two workers. Gorgonia also allocates to add a node's gradients.
type tape struct{ operations, scalars []*operation }

// record runs the graph once and returns its tape, without what is constant. It panics at nodes other than operations,
// additions and views.
func record(g *graph, whole part) (t tape) {
	machine := newMachine(g, whole)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		panic(err)
	}
	sorted, err := gorgonia.Sort(g.ExprGraph) // from the results to the inputs
	if err != nil {
		panic(err)
	}
	known, constant, summed := make(map[*float32]bool), make(map[*float32]bool), make(map[*float32]bool)
	if g.one != nil {
		constant[&memory(g.one)[0]] = true
	}
	for _, n := range slices.Backward(sorted) {
		first := &memory(n)[0]
		op, ok := n.Op().(*operation)
		switch {
		case ok:
		case n.Op() == nil || known[first]:
			continue
		case strings.HasPrefix(n.Op().String(), "+ "):
			op = addition(g, n)
		default:
			panic(fmt.Sprintf("net: %v is not on the tape", n))
		}
		known[first] = true
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
				panic(fmt.Sprintf("net: %v follows from a sum over the batch", n))
			}
			summed[first] = true
			t.scalars = append(t.scalars, op)
		default:
			t.operations = append(t.operations, op)
		}
	}
	return t
}

func addition(g *graph, n *node) *operation {
	op := &operation{run: elements(addElements), memory: memory(n)}
	for operands := g.From(n.ID()); operands.Next(); {
		op.in = append(op.in, memory(operands.Node().(*node)))
	}
	if len(op.in) == 1 { // added to itself
		op.in = append(op.in, op.in[0])
	}
	return op
}

// sums returns the operations that are sums.
func (t tape) sums() (sums []*operation) {
	return slices.DeleteFunc(slices.Clone(t.operations), func(op *operation) bool { return op.sum == nil })
}

// reuse moves results, except kept and sums, into the memory of earlier ones that no later operation reads, to take less
// space in the caches. A part of such memory belongs to the same part of the batch. If later is true, sums are computed
// after all other operations. Operations must read only through op.in. Views must start at element 0: its address
// identifies memory.
func (t tape) reuse(later bool, kept ...[]float32) {
	for _, op := range t.sums() {
		kept = append(kept, op.memory)
		if later {
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

// play takes a part of the batch through the operations. It calls sums for those, in their order, if there are any.
func (t tape) play(p part, sums ...func(scratch []float32, share, shares int)) {
	for _, op := range t.operations {
		if op.run != nil {
			op.run(op.in, op.memory, p)
		} else if len(sums) > 0 {
			sums[0](p.scratch, 0, 1)
			sums = sums[1:]
		}
	}
}
