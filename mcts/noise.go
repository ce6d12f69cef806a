package mcts

import (
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/portable"
)

// temper raises the root's priors to the power 1/T and normalises them, to test an overconfident policy:
//
//	T = final + (early - final) 0.5^(ply / 7),   final = 1 + 2/5 (early - 1)
//
// The caller must call promote.
func (s *Search[S]) temper() {
	early := s.cfg.RootPolicyTemperature
	final := 1 + float64(0.4*(early-1))
	t := final + float64((early-final)*portable.Pow(0.5, float64(s.root.Ply())/7))
	if t == 1 {
		return
	}
	moves := s.tree.moves(0)
	s.scratch = s.scratch[:0]
	sum := 0.0
	for i := range moves {
		p := portable.Pow(float64(moves[i].prior), 1/t)
		s.scratch = append(s.scratch, p)
		sum += p
	}
	for i := range moves {
		moves[i].prior = float32(s.scratch[i] / sum)
	}
}

// mixNoise mixes Dirichlet noise into the root's priors, P = (1 - w) p + w Dir(alpha) (Silver et al. 2018, Methods,
// "Search"). Moves proven lost get none, because they would take most of it where few others are left. The caller must
// call promote.
func (s *Search[S]) mixNoise(rng *rand.Rand) {
	moves := s.tree.moves(0)
	playable := 0
	for i := range moves {
		if moves[i].proven != game.Loss {
			playable++
		}
	}
	if playable == 0 {
		return
	}
	s.scratch = slices.Grow(s.scratch[:0], playable)
	w, noise := s.cfg.NoiseWeight, s.scratch[:playable]
	dirichlet(noise, 10/float64(playable), rng)
	for i := range moves {
		p := float64((1 - w) * float64(moves[i].prior))
		if moves[i].proven != game.Loss {
			p += float64(w * noise[0])
			noise = noise[1:]
		}
		moves[i].prior = float32(p)
	}
}

// dirichlet overwrites draw with a draw from the symmetric Dirichlet distribution. For tiny alpha, gamma variates can
// be 0 or NaN; without a positive sum the draw is uniform.
func dirichlet(draw []float64, alpha float64, rng *rand.Rand) {
	sum := 0.0
	for i := range draw {
		draw[i] = gamma(alpha, rng)
		sum += draw[i]
	}
	for i := range draw {
		if sum > 0 {
			draw[i] /= sum
		} else {
			draw[i] = 1 / float64(len(draw))
		}
	}
}
