package mcts_test

import (
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
)

// improvedByHand is softmax(logit + sigma(completed Q)) as Danihelka et al. 2022 define it, from what a search says about the
// moves and the evaluator's value of the root, and what that policy is worth. Moves that are not worth playing have no part
// in it.
func improvedByHand(cfg mcts.Config, stats []mcts.Stat, value float64, actions int) (policy []float64, worth float64) {
	visits, most, known, weighted := 0.0, 0.0, 0.0, 0.0
	keep := game.Unknown
	for _, s := range stats {
		visits += float64(s.Visits)
		most = max(most, float64(s.Visits))
		if s.Visits > 0 || s.Proven != game.Unknown {
			known += float64(s.Prior)
			weighted += float64(s.Prior) * float64(s.Q)
		}
		if s.Proven == game.Win {
			keep = game.Win
		}
	}
	mix := value
	if known > 0 {
		mix = (value + visits*weighted/known) / (1 + visits)
	}
	policy = make([]float64, actions)
	sum := 0.0
	for _, s := range stats {
		if s.Proven == game.Loss || keep == game.Win && s.Proven != game.Win {
			continue
		}
		q := float64(s.Q)
		if s.Visits == 0 && s.Proven == game.Unknown {
			q = mix
		}
		policy[s.Action] = float64(s.Prior) * math.Exp((50+most)*(q-1)/2)
		sum += policy[s.Action]
		worth += policy[s.Action] * q
	}
	for i := range policy {
		policy[i] /= sum
	}
	return policy, worth / sum
}

func normalised(weights []float32) []float64 {
	sum := 0.0
	for _, w := range weights {
		sum += float64(w)
	}
	policy := make([]float64, len(weights))
	for i, w := range weights {
		policy[i] = float64(w) / sum
	}
	return policy
}

// checkImproved checks that d teaches the improved policy, and is worth what that is. value is the evaluator's of the root.
func checkImproved[S game.State[S]](t *testing.T, cfg mcts.Config, s *mcts.Search[S], d mcts.Decision, value float64) {
	t.Helper()
	got := normalised(d.Policy)
	policy, worth := improvedByHand(cfg, s.Stats(nil), value, len(d.Policy))
	for a, want := range policy {
		if math.Abs(got[a]-want) > 1e-4 {
			t.Errorf("move %d has the share %v, want %v, after %v", a, got[a], want, s.Stats(nil))
		}
	}
	if math.Abs(float64(d.Value)-worth) > 1e-4 || d.Proven != s.Proven() {
		t.Errorf("%+v, but the policy is worth %v and the root is %v", d, worth, s.Proven())
	}
}

// What is learned is softmax(logit + sigma(completed Q)), and what is played has the highest temperature g + logit + sigma(Q)
// of the moves with the most simulations of the search, in trees that are kept from move to move, until the game is decided.
func TestGumbelDecides(t *testing.T) {
	g := mustMNK(t, 4, 4, 3)
	proven, partly := 0, 0
	for seed := range uint64(30) {
		cfg := withGumbel(6)
		ev := hashed[mnk.State](seed)
		rng := random.New(seed, random.Test)
		s := mcts.New[mnk.State](cfg, g.Actions())
		s.Reset(g.Start())
		for temperature := 0.0; len(s.Root().Legal(nil)) > 0; temperature += 0.25 {
			before := make([]int, g.Actions())
			for _, stat := range s.Stats(nil) {
				before[stat.Action] = stat.Visits
			}
			s.Begin(20, rng)
			run(t, s, ev)
			d := decided(s, temperature, rng)
			stats := s.Stats(nil)
			if s.Proven() == game.Loss {
				break
			}
			if s.Proven() != game.Unknown {
				proven++
			} else if slices.ContainsFunc(stats, func(s mcts.Stat) bool { return s.Proven != game.Unknown }) {
				partly++
			}
			checkImproved(t, cfg, s, d, float64(ev(s.Root(), make([]float32, g.Actions()))))
			best, most, highest := game.None, -1, math.Inf(-1)
			policy, _ := improvedByHand(cfg, stats, float64(ev(s.Root(), make([]float32, g.Actions()))), g.Actions())
			for a, p := range policy {
				i := slices.IndexFunc(stats, func(s mcts.Stat) bool { return int(s.Action) == a })
				if i < 0 || s.Proven() == game.Win && stats[i].Proven != game.Win || stats[i].Proven == game.Loss {
					continue
				}
				n, score := stats[i].Visits-before[a], math.Log(p)+temperature*s.GumbelNoise()[a]
				if n > most || n == most && score > highest {
					best, most, highest = game.Action(a), n, score
				}
			}
			if d.Action != best {
				t.Errorf("seed %d, temperature %v: plays %d, want %d of %v", seed, temperature, d.Action, best, stats)
			}
			s.Advance(d.Action)
		}
	}
	if proven < 10 || partly < 10 {
		t.Errorf("%d roots were proven and %d had proven moves: too few to tell", proven, partly)
	}
}

// The theorem of the paper: where values are exact, the move played is at least as good as the one that the policy alone
// would have played with the same luck, however few the simulations and the moves.
func TestGumbelImprovesTheMove(t *testing.T) {
	better := 0
	for seed := range uint64(500) {
		rng := random.New(seed, random.Test, 1)
		priors, values := randomBandit(seed, 2+rng.IntN(25))
		s := halved(t, withGumbel(1+rng.IntN(20)), priors, values, seed, 1+rng.IntN(40), 1)
		played := values[decided(s, 1, random.New(seed, random.Test)).Action]
		drawn, highest := 0, math.Inf(-1)
		for a, p := range priors {
			if score := math.Log(float64(p)) + s.GumbelNoise()[a]; score > highest {
				drawn, highest = a, score
			}
		}
		if played < values[drawn] {
			t.Errorf("seed %d: plays a move worth %v, without a search it would be %v", seed, played, values[drawn])
		} else if played > values[drawn] {
			better++
		}
	}
	if better < 100 {
		t.Errorf("only %d of 500 moves got better", better)
	}
}

// So is the policy that is learned, if all moves were tried. If some were not, their completed values are guesses, and it is
// better on average.
func TestGumbelImprovesThePolicy(t *testing.T) {
	for _, n := range []int{2, 4, 8, 16, 40} {
		const bandits, moves = 400, 16
		sum, squares := 0.0, 0.0
		for seed := range uint64(bandits) {
			priors, values := randomBandit(seed, moves)
			s := halved(t, withGumbel(moves), priors, values, seed, n, 1)
			gain := 0.0
			for a, share := range normalised(decided(s, 1, random.New(seed, random.Test)).Policy[:moves]) {
				gain += (share - float64(priors[a])) * values[a]
			}
			if n >= moves && gain < -1e-6 {
				t.Errorf("seed %d: the policy is worse by %v after %d simulations", seed, -gain, n)
			}
			sum += gain
			squares += gain * gain
		}
		mean := sum / bandits
		if deviation := math.Sqrt((squares/bandits - mean*mean) / bandits); mean < 5*deviation {
			t.Errorf("%d simulations: the policy gains %v with a standard error of %v", n, mean, deviation)
		}
	}
}

// Without any simulation of a move, the move is a draw from the policy^(1/temperature): the Gumbel-max trick. A chi-square
// test at 0.1 %.
func TestGumbelMoveIsADraw(t *testing.T) {
	priors := []float32{0.5, 0.25, 0.125, 0.125}
	root, ev := bandit(priors, []float64{0, 0, 0, 0})
	s := mcts.New[toy](withGumbel(16), toyActions)
	rng := random.New(1, random.Test)
	for _, temperature := range []float64{0, 0.5, 1, 2} {
		counts, sum := make([]float64, len(priors)), 0.0
		const searches = 4000
		for range searches {
			s.Reset(root)
			s.Begin(1, rng)
			run(t, s, ev)
			counts[decided(s, temperature, rng).Action]++
		}
		if temperature == 0 {
			if counts[0] != searches {
				t.Errorf("temperature 0 plays %v", counts)
			}
			continue
		}
		for _, p := range priors {
			sum += math.Pow(float64(p), 1/temperature)
		}
		chiSquare := 0.0
		for a, p := range priors {
			expected := searches * math.Pow(float64(p), 1/temperature) / sum
			chiSquare += (counts[a] - expected) * (counts[a] - expected) / expected
		}
		if chiSquare > 16.27 { // 3 degrees of freedom
			t.Errorf("temperature %v: counts %v, chi-square %.1f", temperature, counts, chiSquare)
		}
	}
}

// A move that is proven lost drops out, and the next best takes its place: sequential halving goes on as if it had never been
// there. Of 26 simulations each round has 13, 3 for each of 4 moves and then 6 for each of 2; the lost moves cost one of
// those each.
func TestGumbelReplacesLostMoves(t *testing.T) {
	cfg := withGumbel(4)
	s := mcts.New[toy](cfg, toyActions)
	for seed := range uint64(20) {
		s.Reset(newToy("aa=-1 b ca=-1 d e=+1 f g h i j"))
		s.Begin(1+26, random.New(seed, random.Test))
		ev := written([]float32{0.4, 0.005, 0.4, 0.005, 0.15, 0.01, 0.01, 0.01, 0.005, 0.005}, nil)
		run(t, s, ev)
		var lost, others []mcts.Stat
		for _, stat := range s.Stats(nil) {
			if stat.Proven == game.Loss {
				lost = append(lost, stat)
			} else {
				others = append(others, stat)
			}
		}
		tried := slices.DeleteFunc(since(others, nil), func(n int) bool { return n == 0 })
		spent := since(lost, nil)
		if !slices.Equal(spent, []int{1, 1, 0}) || !slices.Equal(tried, []int{9, 9, 3, 3}) {
			t.Errorf("seed %d: %v visits of lost moves, %v of others", seed, spent, tried)
		}
		d := decided(s, 1, random.New(seed, random.Test))
		if slices.ContainsFunc(lost, func(s mcts.Stat) bool { return d.Policy[s.Action] > 0 || s.Action == d.Action }) {
			t.Errorf("seed %d: plays %d, teaches %v", seed, d.Action, d.Policy)
		}
		if err := s.CheckOrder(); err != nil {
			t.Error(err)
		}
	}
}

// A proven win ends the search and has all of the policy; of lost moves the visits are taught, and nothing is left out of a
// search in which all but one move are lost.
func TestGumbelProofs(t *testing.T) {
	ev := written([]float32{0.6, 0.3, 0.1}, nil)
	for _, test := range []struct {
		name, lines string
		most        int // simulations
		want        []float32
	}{
		{"a win found", "a b ca=+1", 5, []float32{0, 0, 1}},
		{"a win at once", "a b=-1 c", 1, []float32{0, 1, 0}},
		{"two wins", "a=-1 b=-1 c", 1, []float32{1, 0.5, 0}},
		{"all lost", "aa=-1 ba=-1 ca=-1", 4, []float32{1, 1, 1}},
		{"all lost at once", "a=+1 b=+1 c=+1", 1, []float32{0.6, 0.3, 0.1}},
		{"one is not lost", "a=+1 ba=-1 c", 40, []float32{0, 0, 1}},
		{"a draw beside losses", "a=+1 b=0 c=+1", 1, []float32{0, 1, 0}},
	} {
		s := explored(t, withGumbel(16), toyActions, newToy(test.lines), ev, 40, 1)
		d := decided(s, 1, random.New(1, random.Test))
		if !s.Done() || s.Simulations() > test.most || d.Policy[d.Action] == 0 {
			t.Errorf("%s: %d simulations, %+v", test.name, s.Simulations(), d)
		}
		for a, want := range test.want {
			if math.Abs(float64(d.Policy[a]-want)) > 1e-5 {
				t.Errorf("%s: the policy is %v, want %v", test.name, d.Policy[:len(test.want)], test.want)
			}
		}
	}
}
