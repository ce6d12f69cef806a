package mcts

import (
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// Stats appends what is known about each legal move of the root to dst, by ascending action; nothing while the root is
// not open.
func (s *Search[S]) Stats(dst []Stat) []Stat {
	start := len(dst)
	for _, e := range s.tree.moves(0) {
		stat := Stat{Action: game.Action(e.action), Visits: int(e.visits), Prior: e.prior, Proven: e.proven}
		switch {
		case e.proven != Unknown:
			stat.Q = float32(e.proven.Value())
		case e.visits > 0:
			stat.Q = float32(e.valueSum / float64(e.visits))
		}
		dst = append(dst, stat)
	}
	slices.SortFunc(dst[start:], func(a, b Stat) int { return int(a.Action - b.Action) })
	return dst
}

// Value is the root's mean value in [-1, 1] for the side to move: the exact one once proven, 0 before any simulation.
func (s *Search[S]) Value() float32 {
	root := s.tree.edges[0]
	switch {
	case root.proven != Unknown:
		return float32(-root.proven.Value())
	case root.visits == 0:
		return 0
	}
	return float32(-root.valueSum / float64(root.visits))
}

// Policy overwrites dst [Actions] with the visit counts of the root's moves, the policy target before normalisation and
// the weights to draw a move by. Proofs correct the counts: a proven win takes all weight, and a proven loss has none
// while anything else is left. Some weight is above 0 once the root is open.
func (s *Search[S]) Policy(dst []float32) {
	clear(dst)
	moves := s.tree.moves(0)
	if len(moves) == 0 {
		return
	}
	keep := candidates(moves)
	sum := float32(0)
	for _, e := range moves {
		if keep(e) {
			dst[e.action] = float32(e.visits)
			sum += float32(e.visits)
		}
	}
	if sum == 0 {
		dst[moves[slices.IndexFunc(moves, keep)].action] = 1
	}
}

// candidates tells which moves of a node are worth playing: the won ones if there are any, else all that are not lost,
// else all.
func candidates(moves []edge) func(edge) bool {
	best := Loss
	for _, e := range moves {
		switch {
		case e.proven == Win:
			best = Win
		case e.proven != Loss && best == Loss:
			best = Unknown
		}
	}
	switch best {
	case Win:
		return func(e edge) bool { return e.proven == Win }
	case Unknown:
		return func(e edge) bool { return e.proven != Loss }
	}
	return func(edge) bool { return true }
}

// PV appends the principal variation to dst: from the root on, the most visited of the moves worth playing.
func (s *Search[S]) PV(dst []game.Action) []game.Action {
	for at := int32(0); ; {
		moves := s.tree.moves(at)
		keep := candidates(moves)
		best := -1
		for i, e := range moves {
			if e.visits > 0 && keep(e) && (best < 0 || e.visits > moves[best].visits) {
				best = i
			}
		}
		if best < 0 {
			return dst
		}
		dst = append(dst, game.Action(moves[best].action))
		at = s.tree.nodes[s.tree.edges[at].child].first + int32(best)
	}
}

// SelectMove draws a move with probability proportional to policy[a]^(1/temperature) (Silver et al. 2017, Methods,
// "Play"). Temperature 0 takes the largest, equal ones being equally likely. A move of weight 0 is never drawn. It panics
// when no weight is above 0.
func SelectMove(policy []float32, temperature float64, rng *rand.Rand) game.Action {
	largest := slices.Max(policy)
	if !(largest > 0) {
		panic("mcts: SelectMove from a policy without weight")
	}
	weight := func(p float32) float64 {
		switch {
		case p == largest:
			return 1
		case p == 0 || temperature == 0:
			return 0
		}
		return math.Pow(float64(p/largest), 1/temperature)
	}
	sum := 0.0
	for _, p := range policy {
		sum += weight(p)
	}
	draw := rng.Float64() * sum
	last := game.None
	for a, p := range policy {
		w := weight(p)
		if w == 0 {
			continue
		}
		last = game.Action(a)
		if draw < w {
			break
		}
		draw -= w
	}
	return last
}
