package mcts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/game/forced"
)

// Search is one search tree. It is not safe for concurrent use.
type Search[S game.State[S]] struct {
	cfg           Config
	actions       int
	root          S
	tree          tree
	simulations   int           // finished since Reset or Advance
	budget        int           // simulations at which the search is done
	rng           *rand.Rand    // Begin's rng, until the root is expanded
	exploring     bool          // Begin got an rng
	provenEarlier bool          // see ProvenEarlier
	legal         []game.Action // scratch
	scratch       []float64     // [moves of the root]

	probe   *S                // what ending looks at: converting each position would allocate
	ending  game.Ending       // nil: any move may end the game
	endings []game.Action     // scratch
	prover  *forced.Prover[S] // examines leaves; may be nil
	noPrior []float32         // [actions] of 0, if there is a prover

	// Leaves in flight, oldest first. paths holds their edges from the root down, one leaf after another; found the
	// prover's results for each leaf's moves by action.
	waiting []leaf[S]
	head    int // index of the oldest
	paths   []int32
	found   []game.Result
}

type leaf[S any] struct {
	state S
	path  [2]int32 // paths[path[0]:path[1]]
	found int32    // index in Search.found
}

// maxPending bounds a tree's leaves in flight: edge.pending must not overflow.
const maxPending = 255

// Status is the result of Select.
type Status uint8

const (
	Leaf      Status = iota // Expand needs an evaluation of the position
	Known                   // the simulation ended at a known result
	Collision               // the leaf already awaits Expand; nothing has changed
)

// New returns a search. It panics above 32767 actions. Call Reset first.
func New[S game.State[S]](cfg Config, actions int) *Search[S] {
	if actions > math.MaxInt16 {
		panic("mcts: too many actions")
	}
	s := &Search[S]{cfg: cfg, actions: actions, probe: new(S)}
	s.ending, _ = any(s.probe).(game.Ending)
	s.LimitNodes(math.MaxInt32)
	if cfg.ForcedNodes > 0 {
		s.prover = forced.New[S]()
		s.noPrior = make([]float32, actions)
	}
	return s
}

// LimitNodes limits the tree to about this many nodes, and in any case to what 32 bits can number. A search that has
// expanded its root and reached the limit ends.
//
// Such a tree takes up to 24 bytes for each action and node, plus 16 for the node. While it grows towards the limit, an
// eighth of that is held twice.
func (s *Search[S]) LimitNodes(nodes int) {
	s.tree.maxNodes = min(nodes, math.MaxInt32/max(1, s.actions)-1)
}

// Reset starts a new tree from root.
func (s *Search[S]) Reset(root S) {
	s.root, s.provenEarlier = root, false
	s.tree.reset()
	s.restart()
}

// Advance plays a at the root and keeps the subtree below it. It panics if leaves are in flight.
func (s *Search[S]) Advance(a game.Action) {
	if len(s.waiting) > 0 {
		panic("mcts: Advance with leaves in flight")
	}
	s.root = s.root.Play(a)
	i := slices.IndexFunc(s.tree.moves(0), func(e edge) bool { return e.action == int16(a) })
	if i < 0 {
		s.tree.reset()
	} else {
		s.tree.keep(s.tree.nodes[s.tree.edges[0].child].first + int32(i))
	}
	s.provenEarlier = s.Proven() != game.Unknown
	if _, over := s.root.Outcome(); !over && s.prover != nil && s.tree.edges[0].child == 0 {
		s.tree.reset() // the prover may have proven it as a leaf: the next simulation must expand it
	}
	s.restart()
}

func (s *Search[S]) restart() {
	s.simulations = 0
	s.waiting = s.waiting[:0]
	s.head = 0
	s.paths = s.paths[:0]
	s.found = s.found[:0]
	s.Begin(s.cfg.Simulations, nil)
}

// Root returns the position searched.
func (s *Search[S]) Root() S { return s.root }

// Simulations returns the simulations finished since Reset or Advance.
func (s *Search[S]) Simulations() int { return s.simulations }

// Visits returns the simulations in the tree, including those that Advance kept; 0 until the root
// is expanded.
func (s *Search[S]) Visits() int {
	if s.tree.edges[0].child == 0 {
		return 0
	}
	return int(s.tree.edges[0].visits)
}

func (s *Search[S]) inFlight() int { return len(s.waiting) - s.head }

func (s *Search[S]) needsSimulation() bool {
	full := len(s.tree.nodes)+s.inFlight() > max(1, s.tree.maxNodes)
	return s.simulations+s.inFlight() < s.budget && !s.Done() && !full
}

// Proven returns the root's proven result for the side to move. Further simulations do not change it.
func (s *Search[S]) Proven() game.Result { return s.tree.edges[0].proven.Opposite() }

// ProvenEarlier reports whether the root's result was proven before Advance reached it.
func (s *Search[S]) ProvenEarlier() bool { return s.provenEarlier }

// Select walks down from the root to a position that is not expanded. Until Expand, the simulation counts as a loss on
// its path, which steers the next Select elsewhere.
func (s *Search[S]) Select() (S, Status) {
	start, found := int32(len(s.paths)), int32(len(s.found))
	state := s.root
	at := int32(0)
	for {
		s.paths = append(s.paths, at)
		next := int32(0) // the prover's only move
		if e := &s.tree.edges[at]; e.child == 0 && e.proven == game.Unknown {
			if e.pending > 0 {
				s.paths = s.paths[:start]
				return state, Collision
			}
			if z, over := state.Outcome(); over {
				e.proven = game.ResultOf(-z)
			} else if next = s.proveLeaf(state, at); next == 0 && e.proven == game.Unknown {
				s.await(state, start, found)
				return state, Leaf
			}
		}
		e := &s.tree.edges[at]
		if e.proven != game.Unknown {
			s.backup(s.paths[start:], -e.proven.Value())
			s.paths = s.paths[:start]
			return state, Known
		}
		switch {
		case next != 0:
			at = next
		case at == 0:
			at = s.chooseRootMove()
		default:
			at = s.tree.choose(&s.cfg, e, firstPlayReduction)
		}
		state = state.Play(game.Action(s.tree.edges[at].action))
	}
}

func (s *Search[S]) chooseRootMove() int32 {
	reduction := firstPlayReduction
	if s.exploring {
		if at := s.tree.forcedPlayout(s.cfg.ForcedPlayouts); at >= 0 {
			return at
		}
		reduction = s.cfg.RootFirstPlayReduction
	}
	return s.tree.choose(&s.cfg, &s.tree.edges[0], reduction)
}

// await puts the leaf at the end of paths[start:] in flight. Its prover's results start at s.found[found].
func (s *Search[S]) await(state S, start, found int32) {
	if s.inFlight() == maxPending {
		panic("mcts: too many leaves in flight")
	}
	for _, e := range s.paths[start:] {
		s.tree.edges[e].pending++
	}
	s.waiting = append(s.waiting, leaf[S]{state, [2]int32{start, int32(len(s.paths))}, found})
}

// Expand adds the moves of the oldest leaf in flight, with their priors [Actions], and backs up its value, in [-1, 1]
// for the side to move there. It panics if no leaf is in flight or the value is out of range.
func (s *Search[S]) Expand(prior []float32, value float32) {
	if !(value >= -1 && value <= 1) {
		panic(fmt.Sprintf("mcts: Expand with value %v, want -1 to 1", value))
	}
	oldest := s.waiting[s.head]
	path := s.paths[oldest.path[0]:oldest.path[1]]
	for _, e := range path {
		s.tree.edges[e].pending--
	}
	s.legal = oldest.state.Legal(s.legal[:0])
	s.tree.expand(path[len(path)-1], s.legal, prior)
	s.lookAhead(oldest.state)
	if s.prover != nil {
		s.storeProofs(s.found[oldest.found:])
	}
	s.backup(path, float64(value))
	if len(path) == 1 {
		s.prepareRoot()
	}
	s.forget()
}

// forget drops the oldest leaf in flight. Once half of the leaves are gone, the others move to the front.
func (s *Search[S]) forget() {
	s.head++
	if 2*s.head < len(s.waiting) {
		return
	}
	left, paths, found := s.waiting[s.head:], int32(len(s.paths)), int32(len(s.found))
	if len(left) > 0 {
		paths, found = left[0].path[0], left[0].found
	}
	for i := range left {
		left[i].path[0] -= paths
		left[i].path[1] -= paths
		left[i].found -= found
	}
	s.waiting, s.head = s.waiting[:copy(s.waiting, left)], 0
	s.paths = s.paths[:copy(s.paths, s.paths[paths:])]
	s.found = s.found[:copy(s.found, s.found[found:])]
}

// lookAhead proves the newest node's moves that end the game: the search finds a win in one move, and a defence against
// one, whatever the priors.
func (s *Search[S]) lookAhead(state S) {
	t := &s.tree
	n := t.newest()
	moves := t.movesOf(n)
	look := s.legal
	if s.ending != nil {
		*s.probe = state
		s.endings = s.ending.Endings(s.endings[:0])
		look = s.endings
	}
	for i := 0; len(look) > 0; i++ {
		a := look[0]
		if game.Action(moves[i].action) != a {
			continue
		}
		look = look[1:]
		if z, over := state.Play(a).Outcome(); over {
			moves[i].proven = game.ResultOf(-z)
			moves[i], moves[n.tried] = moves[n.tried], moves[i]
			n.tried++
		}
	}
	t.promote(n)
}

// backup adds the value of the path's last position, for the side to move there, to every edge of the path, and backs
// up proofs (Winands et al. 2008, section 3.1). When an edge is proven, every simulation through it counts with the
// exact value, and the edges above get the difference.
func (s *Search[S]) backup(path []int32, value float64) {
	s.simulations++
	t := &s.tree
	// change is what the edges' sums get: here for the side to move below the last edge. The sign changes at each edge.
	change := value
	for i := len(path) - 1; i >= 0; i-- {
		e := &t.edges[path[i]]
		if e.proven == game.Unknown && (i == len(path)-1 || t.edges[path[i+1]].proven != game.Unknown) {
			e.proven = t.proveNode(e.child).Opposite()
		}
		e.visits++
		change = -change
		if e.proven == game.Unknown {
			e.valueSum += change
			continue
		}
		exact := float64(e.proven.Value() * float64(e.visits))
		change = exact - e.valueSum
		e.valueSum = exact
	}
}

// proveNode returns a node's result by its moves: a won move wins it; if all are proven, it is worth the best.
func (t *tree) proveNode(child int32) game.Result {
	n := t.nodes[child]
	best, all := game.Loss, n.tried == n.count
	for _, e := range t.edges[n.first : n.first+n.tried] {
		if e.proven == game.Win {
			return game.Win
		}
		all = all && e.proven != game.Unknown
		best = max(best, e.proven)
	}
	if all {
		return best
	}
	return game.Unknown
}
