package mcts

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// mixNoise mixes Dirichlet noise into the root's priors, P = (1 - w) p + w Dir(alpha), so that self-play tries every move now
// and then (Silver et al. 2018, Methods, "Search"). The root must be open.
func (s *Search[S]) mixNoise(rng *rand.Rand) {
	moves := s.tree.moves(0)
	alpha := s.cfg.NoiseAlpha
	if alpha == 0 {
		alpha = 10 / float64(len(moves))
	}
	s.gamma = dirichlet(s.gamma[:0], alpha, len(moves), rng)
	w := s.cfg.NoiseWeight
	for i := range moves {
		moves[i].prior = float32((1-w)*float64(moves[i].prior) + w*s.gamma[i])
	}
	s.tree.promote(&s.tree.nodes[s.tree.edges[0].child])
}

// dirichlet appends a draw from the symmetric Dirichlet distribution with n components to dst. Gamma variates of tiny
// alpha can underflow to 0 or come out as NaN; where their sum is of no use, the draw is uniform.
func dirichlet(dst []float64, alpha float64, n int, rng *rand.Rand) []float64 {
	gamma := distuv.Gamma{Alpha: alpha, Beta: 1, Src: rng}
	sum := 0.0
	for range n {
		g := gamma.Rand()
		dst = append(dst, g)
		sum += g
	}
	for i := range dst {
		if sum > 0 {
			dst[i] /= sum
		} else {
			dst[i] = 1 / float64(n)
		}
	}
	return dst
}
