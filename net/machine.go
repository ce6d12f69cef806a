package net

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
)

// machine runs a compiled graph again and again. It is not safe for concurrent use.
type machine struct {
	vm gorgonia.VM
}

// newMachine compiles the graph of n, which must be complete.
func newMachine(n *network) machine {
	keepValues(n)
	return machine{gorgonia.NewTapeMachine(n.graph)}
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
func collides(g *gorgonia.ExprGraph) bool {
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
// spares the derivatives of inputs. So every node is declared to be one, of planes, of which no derivative is wanted.
func keepValues(n *network) {
	for _, node := range n.graph.AllNodes() {
		gorgonia.SetDerivOf(node, n.planes)
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
type tape []*operation

// record runs the graph once. It panics when something other than operations, and views of their results, is computed.
func record(n *network) tape {
	m := newMachine(n)
	defer m.close()
	if err := m.run(); err != nil {
		panic(err)
	}
	sorted, err := gorgonia.Sort(n.graph) // from the results to the inputs
	if err != nil {
		panic(err)
	}
	var t tape
	known := make(map[*float32]bool)
	for _, node := range slices.Backward(sorted) {
		memory := &floats(node.Value())[0]
		if op, ok := node.Op().(*operation); ok {
			t = append(t, op)
		} else if node.Op() != nil && !known[memory] {
			panic(fmt.Sprintf("net: %v is not on the tape", node))
		}
		known[memory] = true
	}
	return t
}

// play computes the graph from what its inputs hold now.
func (t tape) play() {
	for _, op := range t {
		op.again()
	}
}
