package selfplay

import (
	"math"

	"tengen/game"
	"tengen/mcts"
	"tengen/replay"
)

// record adds what a search has found out to the game. There is nothing to learn about the moves from a fast search,
// nor, with a ProvenWeight below 1, from a root that is proven lost: all of them lose. A fast search without weight
// keeps its policy, which tells blunders from mistakes of the search, and is a reply to learn.
func (s *liveGame[S]) record(d *mcts.Decision) {
	policy := d.Policy
	if !s.full && s.cfg.FastWeight > 0 || s.cfg.ProvenWeight < 1 && d.Proven == game.Loss {
		policy = nil
	}
	s.game.AppendSearch(policy, d.Value, s.search.Simulations(), s.weight())
	if s.cfg.SurpriseShare > 0 {
		s.surprises = append(s.surprises, s.surprise(policy))
	}
}

// weight is how much the position counts in learning, in 1/replay.FullWeight, rounded to the nearest.
func (s *liveGame[S]) weight() uint16 {
	weight := 1.0
	if !s.full {
		weight = s.cfg.FastWeight
	}
	if s.decided {
		weight *= s.cfg.ProvenWeight
	}
	return uint16(math.Round(weight * replay.FullWeight))
}

// surprise is how far the search has moved the root's policy from its prior, noise included: the Kullback-Leibler
// divergence
//
//	sum over a of pi(a) log(pi(a) / P(a))
//
// in nats, with pi the policy target, given as weights from 0 up, and P the prior. It is 0 for nil, where nothing is
// learned about the moves.
func (s *liveGame[S]) surprise(policy []float32) float32 {
	sum, divergence := 0.0, 0.0
	for _, weight := range policy {
		sum += float64(weight)
	}
	if sum == 0 {
		return 0
	}
	s.stats = s.search.Stats(s.stats[:0])
	for _, move := range s.stats {
		if weight := float64(policy[move.Action]); weight > 0 {
			pi := weight / sum
			divergence += pi * math.Log(pi/max(float64(move.Prior), leastPrior))
		}
	}
	return float32(max(0, divergence))
}

// leastPrior keeps the surprise finite where a prior has underflowed to 0.
const leastPrior = 1e-6

// weightBySurprise turns the weights of a game's positions into
//
//	weight * ((1 - share) + share * surprise / mean surprise)
//
// rounded to the nearest, the mean taken over the game's positions by their weights: the sum of the weights stays as it
// is, but for rounding and what is more than a weight can be, and goes to positions from which there is more to learn
// (KataGo's policy surprise weighting). A game without any surprise keeps its weights.
func weightBySurprise(weights []uint16, surprises []float32, share float64) {
	total, surprise := 0.0, 0.0
	for i, weight := range weights {
		total += float64(weight)
		surprise += float64(weight) * float64(surprises[i])
	}
	if surprise == 0 {
		return
	}
	mean := surprise / total
	for i, weight := range weights {
		factor := (1 - share) + share*float64(surprises[i])/mean
		weights[i] = uint16(min(math.Round(float64(weight)*factor), math.MaxUint16))
	}
}
