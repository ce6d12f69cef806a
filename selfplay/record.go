package selfplay

import (
	"math"

	"tengen/game"
	"tengen/internal/portable"
	"tengen/mcts"
	"tengen/replay"
)

// addSearch adds a search to the record. It omits the policy of a lost root if ProvenWeight is below 1.
func (g *liveGame[S]) addSearch(d *mcts.Decision) {
	policy := d.Policy
	if g.cfg.ProvenWeight < 1 && d.Proven == game.Loss {
		policy = nil
	}
	g.record.AppendSearch(policy, d.Value, g.search.Simulations(), g.weight())
	if g.cfg.SurpriseShare > 0 {
		g.surprises = append(g.surprises, g.surprise(policy))
	}
}

// weight returns the position's weight, in units of 1/replay.FullWeight.
func (g *liveGame[S]) weight() uint16 {
	if g.provenEarlier {
		return uint16(math.Round(g.cfg.ProvenWeight * replay.FullWeight))
	}
	return replay.FullWeight
}

// surprise returns the Kullback-Leibler divergence of the target pi from the root's prior P, noise included:
//
//	sum over a of pi(a) log(pi(a) / P(a))
//
// policy need not sum to 1. The surprise of a nil policy is 0.
func (g *liveGame[S]) surprise(policy []float32) float32 {
	sum, divergence := 0.0, 0.0
	for _, weight := range policy {
		sum += float64(weight)
	}
	if sum == 0 {
		return 0
	}
	g.moves = g.search.Stats(g.moves[:0])
	for _, move := range g.moves {
		if weight := float64(policy[move.Action]); weight > 0 {
			pi := weight / sum
			divergence += float64(pi * portable.Log(pi/max(float64(move.Prior), minPrior)))
		}
	}
	return float32(max(0, divergence))
}

// minPrior keeps the surprise finite after an underflow.
const minPrior = 1e-6

// weightBySurprise replaces a game's weights by
//
//	weight * ((1 - share) + share * surprise / mean surprise)
//
// rounded and capped (KataGo's policy surprise weighting). The mean is weighted, so the sum of the weights hardly
// changes. A game without surprise keeps its weights.
func weightBySurprise(weights []uint16, surprises []float32, share float64) {
	total, surprise := 0.0, 0.0
	for i, weight := range weights {
		total += float64(weight)
		surprise += float64(float64(weight) * float64(surprises[i]))
	}
	if surprise == 0 {
		return
	}
	mean := surprise / total
	for i, weight := range weights {
		factor := (1 - share) + float64(share*float64(surprises[i])/mean)
		weights[i] = uint16(min(math.Round(float64(weight)*factor), math.MaxUint16))
	}
}
