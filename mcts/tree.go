package mcts

import "tengen/game"

// edge is a move from a node, with the statistics of the subtree below, all for the player who moves along it. Siblings
// are adjacent in memory because choosing a move reads all of them.
//
// Invariant, for visited edges: if proven, valueSum is the result times visits. Otherwise the edge leads to a node s
// with the evaluator's value v(s), and
//
//	valueSum = -(v(s) + sum over the moves c of s of valueSum(c))
//
// A node opened by openForced has no v(s): the simulation that opened it continued along its only move.
//
// Moves proven lost count in that sum: how many moves lose tells something about the others. Excluding them, since a
// good player avoids them, was tried and played worse.
type edge struct {
	valueSum float64 // sum of the values of its finished simulations
	prior    float32
	visits   int32 // finished simulations through it
	child    int32 // index of the node it leads to, 0 while that is not open
	action   int16
	pending  uint8 // simulations through it that wait for an evaluation
	proven   game.Result
}

// node is an open position: its moves are edges[first : first+count].
//
// Invariant: the first opened moves are those that a simulation has entered or that were proven from the start, in that
// order. Next comes the move of highest prior among the others, of lowest action among equals. Moves not entered share
// one value, so only that one can be chosen next, and a choice reads opened+1 edges instead of all.
//
// squares is the sum of the squares of the simulation values in valueSum of the edge to the node, so that the two give
// their variance: v(s)^2 plus the squares of the moves, where a proven move counts its squared result times visits.
type node struct {
	squares float64
	first   int32
	count   int32
	opened  int32
}

// tree is the flat storage. edges[0] leads to the root and is for the root's opponent. nodes[0] is unused, so that
// child 0 can mean none.
type tree struct {
	nodes []node
	edges []edge
}

func (t *tree) reset() {
	t.nodes = append(t.nodes[:0], node{})
	t.edges = append(t.edges[:0], edge{})
}

// moves are the edges of the node that edge e leads to, none while that is not open. They are valid until the next
// open.
func (t *tree) moves(e int32) []edge {
	child := t.edges[e].child
	if child == 0 {
		return nil
	}
	n := t.nodes[child]
	return t.edges[n.first : n.first+n.count]
}

// open adds the node that edge e leads to, with its legal moves and their priors. The priors are normalised over the
// legal moves; where they are all 0 the moves are equally likely. The caller establishes the node's invariant by
// promote.
func (t *tree) open(e int32, legal []game.Action, prior []float32) {
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

// enter makes move i of n, which is not one of the opened moves, the last of them and returns its new place.
func (t *tree) enter(n *node, i int32) int32 {
	if i != n.opened {
		moves := t.edges[n.first : n.first+n.count]
		moves[n.opened], moves[i] = moves[i], moves[n.opened]
	}
	n.opened++
	t.promote(n)
	return n.opened - 1
}

// promote puts the best of the moves of n that were not entered, of highest prior and of lowest action among equals, in
// front of the others. It is called when n is opened, when a move is entered and when the priors change.
func (t *tree) promote(n *node) {
	rest := t.edges[n.first+n.opened : n.first+n.count]
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

// copySubtree makes t the part of src below the edge e, which becomes edges[0]. The copied edges serve as the queue of
// a breadth-first walk.
func (t *tree) copySubtree(src *tree, e int32) {
	t.nodes = append(t.nodes[:0], node{})
	t.edges = append(t.edges[:0], src.edges[e])
	for i := 0; i < len(t.edges); i++ {
		child := t.edges[i].child
		if child == 0 {
			continue
		}
		n := src.nodes[child]
		moves := src.edges[n.first : n.first+n.count]
		n.first = int32(len(t.edges))
		t.edges[i].child = int32(len(t.nodes))
		t.nodes = append(t.nodes, n)
		t.edges = append(t.edges, moves...)
	}
}
