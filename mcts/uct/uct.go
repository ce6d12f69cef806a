// Package uct implements plain Monte-Carlo tree search: UCB1 in the tree, one untried move per playout, and uniformly
// random moves to the end of the game (Kocsis, Szepesvári 2006, "Bandit based Monte-Carlo Planning"; Browne et al.
// 2012, "A Survey of Monte Carlo Tree Search Methods", algorithms 1 and 2).
package uct

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/eventloop"
	"tengen/internal/portable"
	"tengen/mcts"
)

// Search is one tree. A warm search allocates nothing. It is not safe for concurrent use.
type Search[S game.State[S]] struct {
	exploration float64
	root        S
	nodes       []node // nodes[0] is the root
	path        []int32
	legal       []game.Action
	probe       *S           // what rollout looks at: converting each position would allocate
	rollout     game.Rollout // nil: playouts draw from all legal moves
}

// node is a position with the statistics of the move to it, for the player who made that move. Its moves are
// nodes[first : first+count], in a random order. The first tried of them have been played.
type node struct {
	valueSum     float64
	visits       int32
	first        int32
	count, tried int16
	action       int16
}

// DefaultExploration is the weight of UCB1's second term for values in [-1, 1]. In matches between weights from 0.4 to
// 2.0, at 1000 playouts, 0.8, 1.0 and 1.2 scored best: 55, 58 and 59 % at Connect Four, 55, 53 and 52 % at four in a
// row on 6x6.
const DefaultExploration = 1.0

// New returns a search with an exploration weight for UCB1. Call Reset before any other method.
func New[S game.State[S]](exploration float64) *Search[S] {
	s := &Search[S]{exploration: exploration, probe: new(S)}
	s.rollout, _ = any(s.probe).(game.Rollout)
	return s
}

// Reset starts a new tree from root.
func (s *Search[S]) Reset(root S) {
	s.root = root
	s.nodes = append(s.nodes[:0], node{})
}

// Advance plays a, which must be legal, at the root and keeps the subtree below it.
func (s *Search[S]) Advance(a game.Action) {
	root := s.root.Play(a)
	i := slices.IndexFunc(s.moves(0), func(n node) bool { return n.action == int16(a) })
	if i < 0 {
		s.Reset(root)
		return
	}
	s.root = root
	s.keep(s.nodes[0].first + int32(i))
}

// keep drops all but the subtree of a node, which becomes the root. The moves of a node lie together behind it, so one
// walk moves those that stay towards the front. Until the walk comes to moves that stay, the first of them is marked by
// the complement of its count, and has lent its field first to say where their parent is.
func (s *Search[S]) keep(at int32) {
	mark := func(parent int32) {
		if p := &s.nodes[parent]; p.count > 0 {
			move := &s.nodes[p.first]
			p.first, move.first, move.count = move.first, parent, ^move.count
		}
	}
	s.nodes[0] = s.nodes[at]
	mark(0)
	kept := int32(1)
	for at = 1; at < int32(len(s.nodes)); {
		move := &s.nodes[at]
		if move.count >= 0 {
			at++
			continue
		}
		parent := &s.nodes[move.first]
		parent.first, move.first, move.count = kept, parent.first, ^move.count
		n := int32(parent.count)
		copy(s.nodes[kept:], s.nodes[at:at+n])
		for i := kept; i < kept+n; i++ {
			mark(i)
		}
		at, kept = at+n, kept+n
	}
	s.nodes = s.nodes[:kept]
}

func (s *Search[S]) moves(at int32) []node { return s.nodes[s.nodes[at].first:][:s.nodes[at].count] }

// Run adds playouts to the tree, fewer if ctx ends, which it checks every 64 playouts. It panics if the game is over.
func (s *Search[S]) Run(ctx context.Context, playouts int, rng *rand.Rand) {
	if _, over := s.root.Outcome(); over {
		panic("uct: Run on a finished game")
	}
	for n := range playouts {
		eventloop.Yield()
		if n%64 == 63 && ctx.Err() != nil {
			return
		}
		s.playout(rng)
	}
}

func (s *Search[S]) playout(rng *rand.Rand) {
	state := s.root
	s.path = append(s.path[:0], 0)
	z, over := state.Outcome()
	for at := int32(0); !over; {
		if s.nodes[at].count == 0 {
			s.addMoves(at, state, rng)
		}
		n := &s.nodes[at]
		untried := n.tried < n.count
		if untried {
			at = n.first + int32(n.tried)
			n.tried++
		} else {
			at = s.ucb1(n)
		}
		s.path = append(s.path, at)
		state = state.Play(game.Action(s.nodes[at].action))
		z, over = state.Outcome()
		if untried {
			break
		}
	}
	sign := float32(1)
	for ; !over; sign = -sign {
		s.legal = s.candidates(state, s.legal[:0])
		state = state.Play(s.legal[rng.IntN(len(s.legal))])
		z, over = state.Outcome()
	}
	value := float64(sign * z) // for the side to move at the end of the path
	for _, at := range slices.Backward(s.path) {
		value = -value
		s.nodes[at].visits++
		s.nodes[at].valueSum += value
	}
}

// candidates appends the moves of random playouts.
func (s *Search[S]) candidates(state S, dst []game.Action) []game.Action {
	if s.rollout == nil {
		return state.Legal(dst)
	}
	*s.probe = state
	return s.rollout.Rollout(dst)
}

func (s *Search[S]) addMoves(at int32, state S, rng *rand.Rand) {
	s.legal = state.Legal(s.legal[:0])
	rng.Shuffle(len(s.legal), func(i, j int) { s.legal[i], s.legal[j] = s.legal[j], s.legal[i] })
	s.nodes[at].first, s.nodes[at].count = int32(len(s.nodes)), int16(len(s.legal))
	for _, a := range s.legal {
		s.nodes = append(s.nodes, node{action: int16(a)})
	}
}

// ucb1 returns the move of n that maximises (Kocsis, Szepesvári 2006, section 2.1)
//
//	mean(a) + exploration * sqrt(ln N(n) / N(a)).
//
// All moves must have been tried.
func (s *Search[S]) ucb1(n *node) int32 {
	log := portable.Log(float64(n.visits))
	best, bestScore := n.first, math.Inf(-1)
	for i := n.first; i < n.first+int32(n.count); i++ {
		visits := float64(s.nodes[i].visits)
		if score := s.nodes[i].valueSum/visits + float64(s.exploration*math.Sqrt(log/visits)); score > bestScore {
			best, bestScore = i, score
		}
	}
	return best
}

// Root returns the position searched.
func (s *Search[S]) Root() S { return s.root }

// Playouts returns the playouts in the tree, including those that Advance kept.
func (s *Search[S]) Playouts() int { return int(s.nodes[0].visits) }

// Value returns the playouts' mean result in [-1, 1] for the side to move at the root, 0 before any.
func (s *Search[S]) Value() float32 { return s.nodes[0].value() }

func (n *node) value() float32 { return float32(0 - n.q()) } // a draw is 0, not -0

// q returns the playouts' mean result for the player who moved there, 0 before any.
func (n *node) q() float64 {
	if n.visits == 0 {
		return 0
	}
	return n.valueSum / float64(n.visits)
}

// Stats is mcts.Search.Stats, with priors of 0 and nothing proven.
func (s *Search[S]) Stats(dst []mcts.Stat) []mcts.Stat { return s.stats(dst, 0) }

func (s *Search[S]) stats(dst []mcts.Stat, at int32) []mcts.Stat {
	start := len(dst)
	for _, n := range s.moves(at) {
		dst = append(dst, mcts.Stat{Action: game.Action(n.action), Visits: int(n.visits), Q: float32(n.q())})
	}
	slices.SortFunc(dst[start:], func(a, b mcts.Stat) int { return int(a.Action - b.Action) })
	return dst
}

// Below is mcts.Search.Below.
func (s *Search[S]) Below(line []game.Action) (b mcts.Below, ok bool) {
	at, ok := s.find(line)
	if !ok {
		return b, false
	}
	n := &s.nodes[at]
	return mcts.Below{Visits: int(n.visits), Value: n.value(), Moves: s.stats(nil, at), PV: s.pv(nil, at)}, true
}

// PV appends the principal variation after a line of moves from the root to dst: always the most visited move, on a tie
// the first tried.
func (s *Search[S]) PV(dst []game.Action, line ...game.Action) []game.Action {
	if at, ok := s.find(line); ok {
		dst = s.pv(dst, at)
	}
	return dst
}

func (s *Search[S]) find(line []game.Action) (at int32, ok bool) {
	for _, a := range line {
		i := slices.IndexFunc(s.moves(at), func(n node) bool { return n.action == int16(a) })
		if i < 0 {
			return 0, false
		}
		at = s.nodes[at].first + int32(i)
	}
	return at, true
}

// Best returns the most visited move, drawn among equals; game.None before the first playout.
func (s *Search[S]) Best(rng *rand.Rand) game.Action {
	best, visits, ties := game.None, int32(-1), 0
	for _, n := range s.moves(0) {
		if n.visits > visits {
			best, visits, ties = game.Action(n.action), n.visits, 0
		}
		if n.visits == visits {
			if ties++; rng.IntN(ties) == 0 {
				best = game.Action(n.action)
			}
		}
	}
	return best
}

func (s *Search[S]) pv(dst []game.Action, at int32) []game.Action {
	for {
		moves := s.moves(at)
		if len(moves) == 0 {
			return dst
		}
		best := 0
		for i, n := range moves {
			if n.visits > moves[best].visits {
				best = i
			}
		}
		at = s.nodes[at].first + int32(best)
		dst = append(dst, game.Action(moves[best].action))
	}
}
