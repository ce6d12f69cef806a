package net

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

// machine runs a compiled graph again and again. It belongs to one goroutine at a time.
type machine struct {
	vm gorgonia.VM
}

// newMachine compiles the graph of n, which must be complete.
func newMachine(n *network) machine {
	checkHashes(n.graph)
	keepValues(n)
	return machine{gorgonia.NewTapeMachine(n.graph)}
}

// checkHashes panics when two nodes of the graph have the same hash. Gorgonia knows nodes by a hash of 32 bits and would
// compute only one of the two, and the results would be wrong without a sign. The chance is 1 in 13,000 for a graph of 800
// nodes, the loss of five residual blocks; any change of the architecture or the batch size is a new draw.
func checkHashes(g *gorgonia.ExprGraph) {
	seen := make(map[uint32]*gorgonia.Node)
	for _, n := range g.AllNodes() {
		if other := seen[n.Hashcode()]; other != nil {
			panic(fmt.Sprintf("net: Gorgonia cannot tell %v and %v apart: choose another number of channels or another batch size", other, n))
		}
		seen[n.Hashcode()] = n
	}
}

// keepValues marks every value of the graph as needed until the end of a run, so that none is overwritten.
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
