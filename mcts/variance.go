package mcts

import (
	"math"
	"slices"

	"tengen/game"
)

// Prior of a node's standard deviation, and its weight in simulations, as in KataGo.
const (
	stdevPrior       = 0.4
	stdevPriorVisits = 2
)

// spread returns the factor of C(s) at the node below parent: exploration grows where values differ (KataGo,
// docs/KataGoMethods.md, "Dynamic Variance-Scaled cPUCT"). weight is 0 to 1.
//
//	1 + weight (stdev / prior - 1)
//	stdev^2 = (n (Q^2 + prior^2) + sum of the squares) / (n + N(s) - 1) - Q^2
//
// n is stdevPriorVisits. With one simulation stdev is the prior.
func (t *tree) spread(weight float64, parent *edge) float64 {
	if parent.visits < 2 {
		return 1
	}
	visits := float64(parent.visits)
	mean := parent.valueSum / visits
	squares := float64(stdevPriorVisits*(float64(mean*mean)+stdevPrior*stdevPrior)) + t.squares(parent)
	variance := squares/(stdevPriorVisits+visits-1) - float64(mean*mean)
	return 1 + float64(weight*(math.Sqrt(max(0, variance))/stdevPrior-1))
}

// squares returns the sum of a visited edge's squared simulation values.
func (t *tree) squares(e *edge) float64 {
	if e.proven != game.Unknown {
		return math.Abs(e.proven.Value()) * float64(e.visits)
	}
	return t.nodes[e.child].squares
}

// lowerBound returns the value of a visited move minus deviations times its standard error, which is 0 once proven:
//
//	Q - deviations sqrt(variance / N),   variance = (sum of the squares) / N - Q^2 + 1 / (N^3 + 1)
//
// The last term is KataGo's: few values that agree prove little.
func (t *tree) lowerBound(e *edge, deviations float64) float64 {
	if e.proven != game.Unknown {
		return e.proven.Value()
	}
	visits, mean := float64(e.visits), e.q()
	variance := max(0, t.squares(e)/visits-float64(mean*mean)) + 1/(float64(visits*visits*visits)+1)
	return mean - float64(deviations*math.Sqrt(variance/visits))
}

// boundShare is the share of the most visits that a move needs to be judged by its bound, as in KataGo.
const boundShare = 0.15

// highestBound reduces policy [Actions], the visits of the root moves worth playing, to the moves with the highest
// lower bound, usually one (leela-zero, pull request 2290; KataGo's useLcbForSelection). policy stays unchanged if the
// result is proven or no such move was visited.
func (t *tree) highestBound(deviations float64, policy []float32) {
	if t.edges[0].proven != game.Unknown {
		return
	}
	least := boundShare * slices.Max(policy)
	highest := math.Inf(-1)
	moves := t.moves(0)
	for i := range moves {
		if e := &moves[i]; e.visits > 0 && policy[e.action] >= least {
			highest = max(highest, t.lowerBound(e, deviations))
		}
	}
	if math.IsInf(highest, -1) {
		return
	}
	for i := range moves {
		e := &moves[i]
		if policy[e.action] < least || t.lowerBound(e, deviations) < highest {
			policy[e.action] = 0
		}
	}
}
