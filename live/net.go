package live

import (
	"context"

	"tengen/game"
	"tengen/mcts"
	"tengen/players"
)

// NewNet returns a thinker that searches one tree by PUCT with as many evaluators as there are, each in a goroutine of its
// own. The evaluators belong to it. It panics when there is none and when the options are not valid.
func NewNet[S game.State[S]](g game.Game[S], cfg mcts.Config, evaluators []mcts.Evaluator[S], o Options) *Thinker[S] {
	return newThinker(g, newNetSearch(g.Actions(), cfg, evaluators, o), o)
}

// maxInFlight is the number of leaves that mcts.Search can have in flight.
const maxInFlight = 255

// maxKnown is the number of simulations between two looks at the clock where none of them needs an evaluation, because the
// results are known.
const maxKnown = 256

// leavesInFlight is the number of leaves that may be in flight in a tree of that many simulations. In flight they count as
// lost, which sends the next elsewhere, and a small tree has few places that are worth going to.
func leavesInFlight(simulations int) int { return 1 + simulations/50 }

// netSearch searches one tree by PUCT. One goroutine walks the tree; the batches that it selects are evaluated side by side.
//
// Batches are expanded in the order in which they were selected, and batch k+len(batches) is selected after batch k was
// expanded. How long an evaluation takes then changes nothing: a search is a sequence of Select and Expand that depends on
// the number and size of batches and on the position alone, until somebody stops it.
type netSearch[S game.State[S]] struct {
	tree  *mcts.Search[S]
	total int // simulations at the root, those kept by advance included
	most  int // total stops here, so that there are no more positions than that
	size  int // of a batch, at most
	seed  uint64

	// The batches in flight are batches[first], the oldest, and those after it around the ring.
	batches []batch[S]
	first   int
	running int // batches in flight
	leaves  int // leaves in them
}

// batch is some leaves of the tree and the evaluator that scores them.
type batch[S any] struct {
	evaluator mcts.Evaluator[S]
	leaves    []S
	priors    [][]float32 // [size][actions]
	values    []float32   // [size]
	done      chan error  // says that priors and values are there
}

func newNetSearch[S game.State[S]](actions int, cfg mcts.Config, evaluators []mcts.Evaluator[S], o Options) *netSearch[S] {
	o.mustBeValid()
	if len(evaluators) == 0 {
		panic("live: a network without an evaluator")
	}
	n := &netSearch[S]{
		tree:    mcts.New[S](cfg, actions),
		size:    o.Batch,
		most:    o.nodes(actions),
		seed:    o.Seed,
		batches: make([]batch[S], min(len(evaluators), maxInFlight/o.Batch)),
	}
	for i := range n.batches {
		n.batches[i] = newBatch(evaluators[i], o.Batch, actions)
	}
	return n
}

func newBatch[S any](ev mcts.Evaluator[S], size, actions int) batch[S] {
	b := batch[S]{evaluator: ev, priors: make([][]float32, size), values: make([]float32, size), done: make(chan error, 1)}
	for i := range b.priors {
		b.priors[i] = make([]float32, actions)
	}
	return b
}

func (b *batch[S]) evaluate() {
	n := len(b.leaves)
	b.done <- guard(func() error { return b.evaluator.Evaluate(b.leaves, b.priors[:n], b.values[:n]) })
}

func (n *netSearch[S]) reset(s S) {
	n.tree.Reset(s)
	n.total = 0
}

func (n *netSearch[S]) advance(a game.Action) {
	n.tree.Advance(a)
	n.total = n.tree.Visits()
}

func (n *netSearch[S]) simulations() int { return n.total }

func (n *netSearch[S]) search(ctx context.Context, simulations int, progress func(bool)) error {
	limit := n.most
	if simulations > 0 {
		limit = min(limit, simulations)
	}
	if n.total == 0 && n.wants(limit) {
		if err := n.openRoot(); err != nil {
			n.abandon()
			return err
		}
	}
	for {
		more := n.wants(limit) && (ctx.Err() == nil || n.total+n.leaves == 0)
		for more && n.running < len(n.batches) {
			if !n.startBatch(limit) {
				break
			}
		}
		if n.running > 0 {
			if err := n.finishBatch(); err != nil {
				n.abandon()
				return err
			}
		} else if !more {
			return nil
		}
		progress(false)
	}
}

// openRoot evaluates the root as such, where there is an evaluator for that.
func (n *netSearch[S]) openRoot() error {
	err := mcts.OpenRoots([]*mcts.Search[S]{n.tree}, n.batches[0].evaluator)
	n.total = n.tree.Simulations()
	return err
}

// wants reports whether another simulation is needed.
func (n *netSearch[S]) wants(limit int) bool {
	return n.tree.Proven() == mcts.Unknown && n.total+n.leaves < limit
}

// startBatch selects a batch and begins to evaluate it. It reports false when there is no leaf to evaluate: because the limit
// or the size of the tree allows no other in flight, because the walk ended at one that is, or because all results are known.
func (n *netSearch[S]) startBatch(limit int) bool {
	b := &n.batches[(n.first+n.running)%len(n.batches)]
	b.leaves = b.leaves[:0]
	most := leavesInFlight(n.total)
	size := min(n.size, (most+len(n.batches)-1)/len(n.batches), most-n.leaves) // all evaluators first, large batches then
	for known := 0; known < maxKnown && len(b.leaves) < size && n.wants(limit); {
		leaf, status := n.tree.Select()
		if status == mcts.Collision {
			break
		}
		if status == mcts.Known {
			n.total++
			known++
			continue
		}
		b.leaves = append(b.leaves, leaf)
		n.leaves++
	}
	if len(b.leaves) == 0 {
		return false
	}
	n.running++
	go b.evaluate()
	return true
}

// finishBatch waits for the oldest batch in flight and expands its leaves.
func (n *netSearch[S]) finishBatch() error {
	b := &n.batches[n.first]
	n.first = (n.first + 1) % len(n.batches)
	n.running--
	n.leaves -= len(b.leaves)
	if err := <-b.done; err != nil {
		return err
	}
	for i := range b.leaves {
		n.tree.Expand(b.priors[i], b.values[i])
	}
	n.total += len(b.leaves)
	return nil
}

// abandon waits for what is in flight and forgets the tree.
func (n *netSearch[S]) abandon() {
	for ; n.running > 0; n.running-- {
		<-n.batches[n.first].done
		n.first = (n.first + 1) % len(n.batches)
	}
	n.leaves = 0
	n.reset(n.tree.Root())
}

func (n *netSearch[S]) analysis() *players.Analysis {
	var d mcts.Decision
	n.tree.Decide(0, choice(n.seed, n.tree.Root()), &d)
	a := &players.Analysis{
		Value:       d.Value,
		Proven:      d.Proven,
		Moves:       n.tree.Stats(nil),
		Policy:      d.Policy,
		PV:          n.tree.PV(nil),
		Simulations: n.total,
	}
	return a.Conclude(d.Action)
}

func (n *netSearch[S]) detail(moves []mcts.Stat, line []game.Action) *Detail {
	return detailOf(n.tree, moves, line)
}
