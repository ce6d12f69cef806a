package selfplay

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/replay"
)

// evaluation is the oracle's of one position.
func evaluation[S game.State[S]](t *testing.T, actions int, s S, value func(*rand.Rand) float32) (prior []float32, v float32) {
	t.Helper()
	priors, values := [][]float32{make([]float32, actions)}, make([]float32, 1)
	noError(t, (&oracle[S]{value: value}).Evaluate([]S{s}, priors, values))
	return priors[0], values[0]
}

// opened is the position after a game's opening.
func opened[S game.State[S]](t *testing.T, rules game.Game[S], g *replay.Record) S {
	t.Helper()
	s, err := game.Replay(rules, g.Moves[:g.Opening])
	noError(t, err)
	return s
}

// Each kind of opening has its share of the games, and its number of plies; all numbers come up.
func TestKindsOfOpenings(t *testing.T) {
	rules := connect4.Standard()
	for _, test := range []struct {
		name string
		set  func(*Config)
		want []int // numbers of plies
	}{
		{"none", func(c *Config) { c.OpeningPlies = 0 }, []int{0}},
		{"usual", func(c *Config) {}, []int{0, 1, 2, 3, 4}},
		{"deep", func(c *Config) { c.Openings.DeepShare = 1 }, []int{2, 3, 4, 5, 6, 7, 8}},
		{"from the policy", func(c *Config) { c.Openings.PolicyShare = 1 }, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		cfg := testConfig()
		cfg.Openings = Openings{DeepPlies: 8}
		test.set(&cfg)
		games, _ := generate(t, testPool(rules, cfg, 2, anyValue), 0, 80)
		plies := map[int]int{}
		for _, g := range games {
			plies[g.Opening]++
			if s := opened(t, rules, g); s.Ply() != g.Opening {
				t.Errorf("%s: the opening of game %d has %d moves", test.name, g.Number, s.Ply())
			}
		}
		if got := slices.Sorted(maps.Keys(plies)); !slices.Equal(got, test.want) {
			t.Errorf("%s: openings of %v plies, want all of %v", test.name, plies, test.want)
		}
	}
}

// With shares of 0.5 and 0.25, half of the games have deep openings, a quarter those of the policy, and a quarter usual ones.
func TestSharesOfOpenings(t *testing.T) {
	cfg := testConfig()
	cfg.OpeningPlies = 0
	cfg.Openings = Openings{DeepShare: 0.5, DeepPlies: 10, PolicyShare: 0.25}
	s := newLiveGame(connect4.Standard(), cfg, alphaZeroSearch())
	var kinds [3]int
	for number := range uint64(1000) {
		s.begin(7, number, 3)
		kinds[s.opening.kind]++
		if deep := s.opening.kind == deepOpening; deep != (s.record.Opening > 0) {
			t.Fatalf("an opening of kind %d with %d plies", s.opening.kind, s.record.Opening)
		}
	}
	for kind, want := range []int{250, 500, 250} {
		if math.Abs(float64(kinds[kind]-want)) > 60 { // four standard deviations
			t.Errorf("openings of the kinds %v, want about 250, 500, 250", kinds)
		}
	}
}

// Moves are drawn by the policy^(1/1.5).
func TestPolicyOpenings(t *testing.T) {
	rules := connect4.Standard()
	cfg := testConfig()
	cfg.Openings = Openings{PolicyShare: 1}
	prior, _ := evaluation(t, 7, rules.Start(), anyValue)
	slot, sum, n := newLiveGame(rules, cfg, alphaZeroSearch()), 0.0, 0
	var counts [7]int
	for _, p := range prior {
		sum += math.Pow(float64(p), 1/1.5)
	}
	for number := range uint64(4000) {
		slot.begin(7, number, 3)
		if slot.opening.waits {
			slot.answer(prior, 0)
			counts[slot.record.Moves[0]]++
			n++
		}
	}
	for a, p := range prior {
		share := math.Pow(float64(p), 1/1.5) / sum
		if limit := 4 * math.Sqrt(float64(n)*share*(1-share)); math.Abs(float64(counts[a])-float64(n)*share) > limit {
			t.Errorf("move %d was drawn %d times of %d, want about %.0f", a, counts[a], n, float64(n)*share)
		}
	}
}

// No opening ends the game: where there is only one move left and it does, the opening is over.
func TestOpeningsStopShortOfTheEnd(t *testing.T) {
	rules := mnk.TicTacToe()
	for _, openings := range []Openings{{DeepShare: 1, DeepPlies: 9}, {PolicyShare: 1}} {
		cfg := testConfig()
		cfg.Openings = openings
		games, _ := generate(t, testPool(rules, cfg, 1, anyValue), 0, 60)
		for _, g := range games {
			if g.Searched() == 0 {
				t.Errorf("game %d has an opening of %d plies of %d", g.Number, g.Opening, len(g.Moves))
			}
		}
	}
}

// An opening from the policy is over as soon as its next move would end the game, whatever plies it has left.
func TestPolicyOpeningIsOverAtTheEnd(t *testing.T) {
	cfg := testConfig()
	cfg.Openings = Openings{PolicyShare: 1}
	s := newLiveGame(connect4.Standard(), cfg, alphaZeroSearch())
	cut := 0
	for number := range uint64(50) {
		s.begin(7, number, 3)
		plies, asked := s.opening.plies, 0
		for ; s.opening.waits; asked++ {
			prior := make([]float32, 7)
			prior[s.position.Ply()%2] = 1 // the first player's fourth stone in its column is the seventh move
			s.answer(prior, 0)
		}
		if asked != min(plies, 7) || s.record.Opening != min(plies, 6) {
			t.Errorf("game %d: %d evaluations and an opening of %d plies, of up to %d", number, asked, s.record.Opening, plies)
		}
		if plies > 7 {
			cut++
		}
	}
	if cut == 0 {
		t.Error("no opening was cut short")
	}
}

// A lopsided opening is drawn again with probability 3/4, at most ten times; one that is not, never.
func TestBalanceDrawsAgain(t *testing.T) {
	cfg := testConfig()
	cfg.OpeningBalance = 0.5
	s := newLiveGame(connect4.Standard(), cfg, alphaZeroSearch())
	prior := make([]float32, 7)
	for _, test := range []struct {
		value        float32
		least, most  int
		mean, within float64
	}{
		{0.5, 1, 1, 1, 0},
		{-0.5, 1, 1, 1, 0},
		// The sum of 0.75^k for k from 0 to 9, and four standard errors.
		{0.51, 1, 10, 3.775, 0.37},
		{-0.51, 1, 10, 3.775, 0.37},
	} {
		least, most, sum := math.MaxInt, 0, 0
		const games = 1000
		for number := range uint64(games) {
			n := 0
			for s.begin(7, number, 3); s.opening.waits; n++ {
				s.answer(prior, test.value)
			}
			least, most, sum = min(least, n), max(most, n), sum+n
			if s.search.Root() != s.position || s.position.Ply() != s.record.Opening || len(s.record.Moves) != s.record.Opening {
				t.Fatalf("after its opening of %d plies a game is at ply %d with %d moves", s.record.Opening, s.position.Ply(), len(s.record.Moves))
			}
		}
		if mean := float64(sum) / games; least != test.least || most != test.most || math.Abs(mean-test.mean) > test.within {
			t.Errorf("value %v: %d to %d evaluations, mean %v, want %d to %d, mean %v", test.value, least, most, mean, test.least, test.most, test.mean)
		}
	}
}

// The evaluation that an opening is judged by is the first one of its search: with a cache, balance costs nothing where it has
// nothing to object to, and changes nothing.
func TestBalanceIsFree(t *testing.T) {
	rules := connect4.Standard()
	cfg := testConfig()
	cfg.GamesPerWorker, cfg.CacheMegabytes = 1, 64
	small := func(rng *rand.Rand) float32 { return 0.2 * rng.Float32() }
	plain, before := generate(t, testPool(rules, cfg, 1, small), 0, 30)
	cfg.OpeningBalance = 0.5
	games, after := generate(t, testPool(rules, cfg, 1, small), 0, 30)
	for i := range games {
		games[i].Evaluations = plain[i].Evaluations // the first one counts twice with balance
		if encode(t, games[i]) != encode(t, plain[i]) {
			t.Errorf("game %d differs", i)
		}
	}
	if after.Evaluations != before.Evaluations || after.CacheHits != before.CacheHits+30 {
		t.Errorf("%d evaluations and %d hits with balance, %d and %d without", after.Evaluations, after.CacheHits, before.Evaluations, before.CacheHits)
	}
}

// What an opening draws from the game's generator is what open says, in that order.
func TestDrawsOfAnOpening(t *testing.T) {
	cfg := testConfig()
	cfg.Openings = Openings{DeepShare: 0.5, DeepPlies: 6}
	cfg.OpeningBalance = 0.5
	s := newLiveGame(connect4.Standard(), cfg, alphaZeroSearch())
	for number := range uint64(50) {
		s.begin(7, number, 3)
		for range 2 {
			if s.opening.waits {
				s.answer(make([]float32, 7), 1)
			}
		}

		rng := random.New(7, random.SelfPlay, number)
		rng.Uint64() // not used
		deep := rng.Float64() < 0.5
		var moves []game.Action
		for range 3 {
			moves = moves[:0]
			least, most := 0, 4
			if deep {
				least, most = 2, 6
			}
			plies := least + rng.IntN(most-least+1)
			for range plies {
				moves = append(moves, game.Action(rng.IntN(7))) // within six plies no column is full, and nobody has won
			}
			if rng.Float64() >= 0.75 {
				break
			}
		}
		if !slices.Equal(s.record.Moves, moves) {
			t.Errorf("game %d: opening %v, want %v", number, s.record.Moves, moves)
		}
	}
}
