package mcts_test

import (
	"math"
	"slices"

	"tengen/game"
	"tengen/mcts"
)

// oracle is the PUCT search as its documentation defines it, written as plainly as possible: nodes that hold positions,
// linked by pointers, with all values in the view of the side to move at the node.
type oracle[S game.State[S]] struct {
	cfg      mcts.Config
	root     *oracleNode[S]
	explores bool               // at the root
	waiting  [][]*oracleNode[S] // the paths of the leaves in flight, oldest first
}

type oracleNode[S game.State[S]] struct {
	state    S
	visits   int
	pending  int
	value    float64 // the evaluator's
	valueSum float64
	proven   game.Result
	priors   map[game.Action]float32 // nil until the node is expanded
	children map[game.Action]*oracleNode[S]
	entered  []game.Action // the moves of children, in the order in which they were first entered
}

func newOracleNode[S game.State[S]](state S) *oracleNode[S] {
	return &oracleNode[S]{state: state, children: map[game.Action]*oracleNode[S]{}}
}

func (o *oracle[S]) reset(root S) { o.root, o.explores = newOracleNode(root), false }

func (o *oracle[S]) advance(a game.Action) {
	child := o.root.children[a]
	if child == nil {
		child = newOracleNode(o.root.state.Play(a))
	}
	o.root, o.explores = child, false
}

func (o *oracle[S]) selectLeaf() (leaf S, status mcts.Status) {
	n := o.root
	path := []*oracleNode[S]{n}
	for n.priors != nil && n.proven == game.Unknown {
		n = o.enter(n, o.choose(n))
		path = append(path, n)
	}
	switch z, over := n.state.Outcome(); {
	case n.proven != game.Unknown:
	case over && z < 0:
		n.proven = game.Loss
	case over && z > 0:
		n.proven = game.Win
	case over:
		n.proven = game.Draw
	case n.pending > 0:
		return n.state, mcts.Collision
	default:
		for _, p := range path {
			p.pending++
		}
		o.waiting = append(o.waiting, path)
		return n.state, mcts.Leaf
	}
	o.finish(path)
	return n.state, mcts.Known
}

func (o *oracle[S]) enter(n *oracleNode[S], a game.Action) *oracleNode[S] {
	if n.children[a] == nil {
		n.children[a] = newOracleNode(n.state.Play(a))
		n.entered = append(n.entered, a)
	}
	return n.children[a]
}

// choose is the formula of choose in puct.go, term by term. Moves of equal scores are common here, P / (1 + N) being 0.75 / 3
// for one and 0.25 for another, so the factors are multiplied in the order that rounds both sides of such a tie alike.
func (o *oracle[S]) choose(n *oracleNode[S]) game.Action {
	visits := float64(n.visits + n.pending)
	scale := (math.Log((1+visits+19652)/19652) + o.cfg.CInit) * math.Sqrt(visits)
	tried := 0.0
	for _, a := range n.entered {
		tried += float64(n.priors[a])
	}
	if n == o.root && o.explores {
		if a := o.forced(); a != game.None {
			return a
		}
	}
	best, bestScore := game.None, math.Inf(-1)
	reduction := 0.2
	if n == o.root && o.explores {
		reduction = o.cfg.RootFirstPlayReduction
	}
	for _, a := range n.order() {
		q := math.Max(-1, n.valueSum/float64(n.visits)-reduction*math.Sqrt(tried))
		childVisits := 0.0
		if child := n.children[a]; child != nil {
			childVisits = float64(child.visits + child.pending)
			q = (-child.valueSum - float64(child.pending)) / childVisits
			switch child.proven {
			case game.Win: // of the opponent
				continue
			case game.Draw:
				q = 0
			}
		}
		if score := q + scale*float64(n.priors[a])/(1+childVisits); score > bestScore {
			best, bestScore = a, score
		}
	}
	return best
}

// forced is the first move of the root entered that has some simulations, but fewer than sqrt(k P(c) sum of N(c')), and is not
// proven; game.None if there is none.
func (o *oracle[S]) forced() game.Action {
	sum := 0.0
	for _, child := range o.root.children {
		sum += float64(child.visits + child.pending)
	}
	for _, a := range o.root.entered {
		child := o.root.children[a]
		visits := float64(child.visits + child.pending)
		if child.proven == game.Unknown && visits > 0 && visits < math.Sqrt(o.cfg.ForcedPlayouts*float64(o.root.priors[a])*sum) {
			return a
		}
	}
	return game.None
}

// order is the order in which equal moves are preferred: those entered as they were entered, then the others by
// descending prior, equal ones by ascending action.
func (n *oracleNode[S]) order() []game.Action {
	order := slices.Clone(n.entered)
	var rest []game.Action
	for _, a := range n.state.Legal(nil) {
		if n.children[a] == nil {
			rest = append(rest, a)
		}
	}
	slices.SortStableFunc(rest, func(a, b game.Action) int {
		switch {
		case n.priors[a] > n.priors[b]:
			return -1
		case n.priors[a] < n.priors[b]:
			return 1
		}
		return 0
	})
	return append(order, rest...)
}

// expand expands the oldest leaf in flight with its priors normalised over the legal moves.
func (o *oracle[S]) expand(prior []float32, value float32) {
	path := o.waiting[0]
	o.waiting = o.waiting[1:]
	for _, p := range path {
		p.pending--
	}
	n := path[len(path)-1]
	n.priors, n.value = map[game.Action]float32{}, float64(value)
	sum := float32(0)
	for _, a := range n.state.Legal(nil) {
		sum += prior[a]
	}
	for _, a := range n.state.Legal(nil) {
		n.priors[a] = prior[a] / sum
		if z, over := n.state.Play(a).Outcome(); over {
			child := o.enter(n, a)
			child.proven = map[float32]game.Result{-1: game.Loss, 0: game.Draw, 1: game.Win}[z]
		}
	}
	o.finish(path)
}

// finish ends a simulation. Every sum follows from those of the node's children.
func (o *oracle[S]) finish(path []*oracleNode[S]) {
	for _, n := range slices.Backward(path) {
		if n.proven == game.Unknown {
			n.proven = n.prove()
		}
		n.visits++
		n.valueSum = n.value
		for _, a := range n.entered {
			n.valueSum -= n.children[a].valueSum
		}
		if n.proven != game.Unknown {
			n.valueSum = n.proven.Value() * float64(n.visits)
		}
	}
}

// prove tells what the proven children prove about n.
func (n *oracleNode[S]) prove() game.Result {
	best, all := game.Loss, n.priors != nil
	for a := range n.priors {
		child := n.children[a]
		switch {
		case child == nil || child.proven == game.Unknown:
			all = false
		case child.proven == game.Loss: // of the opponent
			return game.Win
		case child.proven == game.Draw:
			best = game.Draw
		}
	}
	if all {
		return best
	}
	return game.Unknown
}

// walk is Search.Walk.
func (o *oracle[S]) walk(visit func(path []game.Action, e mcts.EdgeStat)) { o.root.walk(nil, 0, visit) }

func (n *oracleNode[S]) walk(path []game.Action, prior float32, visit func([]game.Action, mcts.EdgeStat)) {
	visit(path, mcts.EdgeStat{
		Visits: n.visits, Pending: n.pending, ValueSum: -n.valueSum, Prior: prior, Proven: n.proven.Opposite(),
	})
	for a, prior := range n.priors {
		if child := n.children[a]; child != nil {
			child.walk(append(path, a), prior, visit)
		} else {
			visit(append(path, a), mcts.EdgeStat{Prior: prior})
		}
	}
}
