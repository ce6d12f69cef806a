package mcts

import (
	"slices"

	"tengen/game"
)

// edge is a move from a node with the statistics of its subtree, for the player who makes the move. Siblings are
// adjacent in memory.
//
// Invariant, for visited edges: if proven, valueSum is the result times visits. Otherwise the edge leads to a node s
// with the evaluator's value v(s), and
//
//	valueSum = -(v(s) + sum over the moves c of s of valueSum(c))
//
// without v(s) if proveLeaf expanded s. Moves proven lost count: excluding them played worse.
type edge struct {
	valueSum float64 // over its finished simulations
	prior    float32
	visits   int32 // finished simulations
	child    int32 // index of its node; 0: not expanded
	action   int16
	pending  uint8 // virtual losses: simulations in flight, each counted as a visit of value -1
	proven   game.Result
}

// node is an expanded position: its moves are edges[first : first+count].
//
// Invariant: the first tried moves are those that simulations have tried or that were proven from the start. Next comes
// the move with the highest prior among the others, on a tie the lowest action. Moves not tried share one value, so
// choose reads only tried+1 edges.
type node struct {
	first  int32
	count  int32
	tried  int32
	parent int32 // edge to the node, only in keep
}

// tree stores nodes and edges in the order in which the nodes were expanded. edges[0] leads to the root, for the root's
// opponent. nodes[0] is no node.
type tree struct {
	nodes    []node
	edges    []edge
	maxNodes int // see Search.LimitNodes
}

func (t *tree) reset() {
	t.nodes = append(t.nodes[:0], node{})
	t.edges = append(t.edges[:0], edge{})
}

// moves returns the edges of the node below edge e, none if it is not expanded. They are valid until the next expand.
func (t *tree) moves(e int32) []edge { return t.movesOf(&t.nodes[t.edges[e].child]) }

func (t *tree) movesOf(n *node) []edge { return t.edges[n.first : n.first+n.count] }

func (t *tree) newest() *node { return &t.nodes[len(t.nodes)-1] }

// expand adds the node below edge e. It normalises the priors over the legal moves; if all are 0, they become equal.
// The caller must call promote.
func (t *tree) expand(e int32, legal []game.Action, prior []float32) {
	if next := max(0, t.maxNodes-len(t.nodes)); len(t.edges)+len(legal) > cap(t.edges) && len(t.nodes) > t.maxNodes/8 {
		// The rest at once: append would hold a large tree twice, again and again.
		t.nodes, t.edges = slices.Grow(t.nodes, next), slices.Grow(t.edges, max(len(legal), next*len(t.edges)/len(t.nodes)))
	}
	first := int32(len(t.edges))
	sum := float32(0)
	for _, a := range legal {
		sum += prior[a]
		t.edges = append(t.edges, edge{action: int16(a), prior: prior[a]})
	}
	moves := t.edges[first:]
	for i := range moves {
		if sum > 0 {
			moves[i].prior /= sum
		} else {
			moves[i].prior = 1 / float32(len(moves))
		}
	}
	t.edges[e].child = int32(len(t.nodes))
	t.nodes = append(t.nodes, node{first: first, count: int32(len(legal))})
}

// try appends move i of n to the moves that have been tried, and returns its new index.
func (t *tree) try(n *node, i int32) int32 {
	moves := t.movesOf(n)
	moves[n.tried], moves[i] = moves[i], moves[n.tried]
	n.tried++
	t.promote(n)
	return n.tried - 1
}

// promote moves the next move to try, see node, to the front of those not tried. It must be called when n is expanded
// or priors change.
func (t *tree) promote(n *node) {
	rest := t.edges[n.first+n.tried : n.first+n.count]
	best := 0
	for i, e := range rest {
		if e.prior > rest[best].prior || e.prior == rest[best].prior && e.action < rest[best].action {
			best = i
		}
	}
	if len(rest) > 0 {
		rest[0], rest[best] = rest[best], rest[0]
	}
}

// keep drops all but the subtree below edge e, which becomes edges[0]. Nodes lie behind their parents, so one walk
// moves those that stay towards the front.
func (t *tree) keep(e int32) {
	const dropped = -1
	for i := range t.nodes {
		t.nodes[i].parent = dropped
	}
	t.edges[0] = t.edges[e]
	t.nodes[t.edges[0].child].parent = 0
	nodes, edges := int32(1), int32(1) // that stay
	for _, n := range t.nodes[1:] {
		if n.parent == dropped {
			continue
		}
		t.edges[n.parent].child = nodes
		copy(t.edges[edges:], t.movesOf(&n))
		n.first = edges
		for at, e := range t.movesOf(&n) {
			t.nodes[e.child].parent = n.first + int32(at)
		}
		t.nodes[nodes] = n
		nodes, edges = nodes+1, edges+n.count
	}
	t.nodes, t.edges = t.nodes[:nodes], t.edges[:edges]
}
