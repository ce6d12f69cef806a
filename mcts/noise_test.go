package mcts_test

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
)

// P = (1 - w) p + w Dir(alpha) at the root (Silver et al. 2018, Methods, "Search"): the priors still sum to 1, and
// none falls below (1 - w) p or rises above that plus w.
func TestNoiseIsMixedIn(t *testing.T) {
	g := mustMNK(t, "6,6,4")
	for _, weight := range []float64{0.25, 0.5, 1} {
		cfg := alphaZero()
		cfg.NoiseWeight = weight
		s := searched(t, cfg, g.Actions(), g.Start(), hashed[mnk.State](1), 200)
		before := s.Stats(nil)
		s.Begin(1, random.New(3, random.Test))
		sum, changed := 0.0, 0
		for i, stat := range s.Stats(nil) {
			rest := float64(stat.Prior) - (1-weight)*float64(before[i].Prior)
			if rest < -1e-6 || rest > weight+1e-6 {
				t.Errorf("weight %v: prior %v becomes %v", weight, before[i].Prior, stat.Prior)
			}
			sum += float64(stat.Prior)
			if stat.Prior != before[i].Prior {
				changed++
			}
			stat.Prior = before[i].Prior
			if stat != before[i] {
				t.Errorf("weight %v: %+v becomes %+v", weight, before[i], stat)
			}
		}
		if math.Abs(sum-1) > 1e-5 || changed < len(before)/2 {
			t.Errorf("weight %v: priors sum to %v, %d of %d changed", weight, sum, changed, len(before))
		}
	}
}

// Moves that the prover has found lost get no noise: whatever the others are, they share all of it.
func TestNoiseIsForMovesThatMayBeGood(t *testing.T) {
	shared := 0 // positions with moves of both kinds, and noise to share out
	for seed := range uint64(200) {
		s := proving(seed)
		if s == nil {
			continue
		}
		s.Begin(1, random.New(seed, random.Test))
		run(t, s, hashed[connect4.State](seed))
		lost, left, sum := 0, 0, 0.0
		for _, stat := range s.Stats(nil) {
			if stat.Proven == game.Loss {
				lost++
				continue
			}
			left++
			sum += float64(stat.Prior)
		}
		if left > 0 && math.Abs(sum-1) > 1e-5 {
			t.Errorf("seed %d: %d moves lose, and the %d others share %v of the priors", seed, lost, left, sum)
		}
		if lost > 0 && left > 1 {
			shared++
		}
	}
	if shared == 0 {
		t.Error("no position had moves of both kinds")
	}
}

// The root's priors get the exponent 1/T where the search explores. T goes from 3 towards 1.8: it is 1.8 + 1.2 / 2 after 7
// plies, and 1.8 + 1.2 / 2^(1/7) after one.
func TestRootPolicyTemperature(t *testing.T) {
	ev := evaluatorFunc[toy](func(_ toy, prior []float32) float32 {
		prior[0], prior[1] = 0.64, 0.36
		return 0
	})
	cfg := alphaZero()
	cfg.NoiseWeight = 0
	cfg.RootPolicyTemperature = 3
	s := mcts.New[toy](cfg, toyActions)
	s.Reset(newToy("aaa aab ab b"))
	for ply, want := range []float64{
		0.547801, // 0.64^(1/3) / (0.64^(1/3) + 0.36^(1/3))
		0.549662, // with 1/2.886868
		0.551477, // with 1/2.784402
	} {
		rng := random.New(3, random.Test)
		s.Begin(20, rng)
		run(t, s, ev)
		a, b := statOf(t, s, letter('a')).Prior, statOf(t, s, letter('b')).Prior
		if math.Abs(float64(a)-want) > 1e-6 || math.Abs(float64(a+b)-1) > 1e-6 {
			t.Errorf("ply %d: the priors are %v and %v, want %v and the rest", ply, a, b, want)
		}
		if rng.Uint64() != random.New(3, random.Test).Uint64() {
			t.Errorf("ply %d: the temperature draws a number", ply)
		}
		s.Walk(func(path []game.Action, e mcts.EdgeStat) {
			if ply == 0 && len(path) == 2 && path[0] == letter('a') && e.Prior != 0.64 && e.Prior != 0.36 {
				t.Errorf("below the root, the prior of %v is %v", path, e.Prior)
			}
		})
		s.Advance(letter('a'))
	}
}

// The noise comes after the temperature, P = (1 - w) p^(1/T) / sum + w Dir(alpha), and the moves are in order again.
func TestNoiseComesAfterTemperature(t *testing.T) {
	g := mustMNK(t, "6,6,4")
	priors := func(temperature, weight float64) []mcts.Stat {
		cfg := alphaZero()
		cfg.NoiseWeight, cfg.RootPolicyTemperature = weight, temperature
		s := explored(t, cfg, g.Actions(), g.Start(), hashed[mnk.State](1), 1, 3)
		if err := s.CheckOrder(); err != nil {
			t.Error(err)
		}
		return s.Stats(nil)
	}
	plain, noisy, tempered, both := priors(1, 0), priors(1, 0.25), priors(0.5, 0), priors(0.5, 0.25)
	squares := 0.0
	for _, p := range plain {
		squares += float64(p.Prior * p.Prior)
	}
	for i := range both {
		p := float64(plain[i].Prior)
		if want := p * p / squares; math.Abs(float64(tempered[i].Prior)-want) > 1e-6 {
			t.Errorf("%+v, want the prior %v", tempered[i], want)
		}
		noise := float64(noisy[i].Prior) - 0.75*p
		if want := 0.75*float64(tempered[i].Prior) + noise; math.Abs(float64(both[i].Prior)-want) > 1e-6 {
			t.Errorf("%+v, want the prior %v", both[i], want)
		}
	}
}

// Called before the root is expanded, Begin waits for it, and draws what it would have drawn then.
func TestNoiseWaitsForTheRoot(t *testing.T) {
	ev := written([]float32{0.7, 0.2, 0.1}, nil)
	early := explored(t, alphaZero(), toyActions, newToy("a b c"), ev, 1, 3)
	late := searched(t, alphaZero(), toyActions, newToy("a b c"), ev, 1)
	late.Begin(1, random.New(3, random.Test))
	for i, stat := range early.Stats(nil) {
		if want := late.Stats(nil)[i]; stat != want || stat.Prior == []float32{0.7, 0.2, 0.1}[i] {
			t.Errorf("drawn early %+v, late %+v", stat, want)
		}
	}
}

// The noise steers the search, is drawn once, and goes with the root.
func TestNoiseGoesWithTheRoot(t *testing.T) {
	cfg := alphaZero()
	cfg.NoiseWeight = 1
	ev := written(nil, nil)
	plain := searched(t, cfg, toyActions, newToy("aa ab b"), ev, 300)
	s := explored(t, cfg, toyActions, newToy("aa ab b"), ev, 300, 3)
	if statOf(t, s, letter('a')).Visits == statOf(t, plain, letter('a')).Visits {
		t.Error("the search takes no notice of the noise")
	}
	prior := statOf(t, s, letter('a')).Prior
	simulate(t, s, ev, 600)
	if statOf(t, s, letter('a')).Prior != prior {
		t.Error("the noise is drawn again")
	}
	s.Advance(letter('a'))
	for _, stat := range s.Stats(nil) {
		if stat.Prior != 0.5 {
			t.Errorf("after Advance: %+v", stat)
		}
	}
	s.Begin(1, random.New(3, random.Test))
	s.Reset(newToy("a b"))
	simulate(t, s, ev, 1)
	for _, stat := range s.Stats(nil) {
		if stat.Prior != 0.5 {
			t.Errorf("after Reset: %+v", stat)
		}
	}
}

// The noise's alpha is 10 divided by the number of legal moves.
func TestNoiseAlpha(t *testing.T) {
	g := mnk.TicTacToe()
	noise := make([]float64, 8)
	mcts.Dirichlet(noise, 10.0/8, random.New(3, random.Test))
	for i, stat := range explored(t, alphaZero(), g.Actions(), g.Start().Play(0), &mcts.Uniform[mnk.State]{}, 1, 3).Stats(nil) {
		if want := 0.75/8 + 0.25*noise[i]; math.Abs(float64(stat.Prior)-want) > 1e-6 {
			t.Errorf("%+v, want the prior %v", stat, want)
		}
	}
}

// A component of the symmetric Dirichlet distribution has the mean 1/n and the variance (n - 1) / (n^2 (n alpha + 1)).
func TestDirichlet(t *testing.T) {
	const n, draws = 5, 20_000
	for _, alpha := range []float64{0.03, 0.3, 1, 10} {
		rng := random.New(3, random.Test)
		var mean, square [n]float64
		for range draws {
			d, sum := make([]float64, n), 0.0
			mcts.Dirichlet(d, alpha, rng)
			for i, x := range d {
				sum += x
				mean[i] += x / draws
				square[i] += x * x / draws
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("alpha %v: %v sums to %v", alpha, d, sum)
			}
		}
		variance := (n - 1) / (n * n * (n*alpha + 1))
		for i := range n {
			if math.Abs(mean[i]-1.0/n) > 5*math.Sqrt(variance/draws) {
				t.Errorf("alpha %v: component %d has the mean %v", alpha, i, mean[i])
			}
			if v := square[i] - mean[i]*mean[i]; math.Abs(v/variance-1) > 0.1 {
				t.Errorf("alpha %v: component %d has the variance %v, want %v", alpha, i, v, variance)
			}
		}
	}
}

// Where all variates of tiny alpha underflow, the draw is uniform; it is a distribution in any case.
func TestDirichletOfTinyAlpha(t *testing.T) {
	rng := random.New(3, random.Test)
	uniform := 0
	for _, alpha := range []float64{1e-3, 1e-4, 1e-6, 1e-9} {
		for range 500 {
			d, sum := make([]float64, 3), 0.0
			mcts.Dirichlet(d, alpha, rng)
			for _, x := range d {
				sum += x
			}
			if !(math.Abs(sum-1) < 1e-9) {
				t.Fatalf("alpha %v: %v", alpha, d)
			}
			if d[0] == d[1] && d[1] == d[2] {
				uniform++
			}
		}
	}
	if uniform == 0 {
		t.Error("no draw had to fall back")
	}
}
