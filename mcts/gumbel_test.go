package mcts_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/mcts"
)

func withGumbel(moves int) mcts.Config {
	cfg := alphaZero()
	cfg.Root, cfg.GumbelMoves = "gumbel", moves
	return cfg
}

// bandit is a game with a move for each of values, which are those for the first player, and an evaluator that knows them.
func bandit(priors []float32, values []float64) (toy, evaluatorFunc[toy]) {
	lines, mean := "", 0.0
	for i := range values {
		lines += string(rune('a'+i)) + " "
		mean += float64(priors[i]) * values[i]
	}
	return newToy(lines), func(leaf toy, prior []float32) float32 {
		if leaf.Path == "" {
			copy(prior, priors)
			return float32(mean)
		}
		prior[0] = 1
		return float32(values[leaf.Path[0]-'a'] * float64(leaf.ToMove()))
	}
}

// randomBandit returns priors, of which some are tiny, and values of n moves.
func randomBandit(seed uint64, n int) (priors []float32, values []float64) {
	rng := random.New(seed, random.Test)
	sum := float32(0)
	for range n {
		priors = append(priors, float32(math.Exp(2*rng.NormFloat64())))
		values = append(values, 2*rng.Float64()-1)
		sum += priors[len(priors)-1]
	}
	for i := range priors {
		priors[i] /= sum
	}
	return priors, values
}

// halved searches a bandit by n simulations of the root's moves, with up to batch of them in flight.
func halved(t *testing.T, cfg mcts.Config, priors []float32, values []float64, seed uint64, n, batch int) *mcts.Search[toy] {
	t.Helper()
	root, ev := bandit(priors, values)
	s := begun(cfg, toyActions, root, n+1, random.New(seed, random.Test)) // one expands the root
	drive(t, s, ev, batch)
	if err := s.CheckOrder(); err != nil {
		t.Error(err)
	}
	return s
}

// sequentialHalving lists the considered visits of n simulations as Karnin et al. 2013 deal them out: in each round every
// move that is left gets the same number, and then half of the moves go.
func sequentialHalving(moves, n int) (sequence []int) {
	if moves < 2 {
		for i := range n {
			sequence = append(sequence, i)
		}
		return sequence
	}
	rounds := int(math.Ceil(math.Log2(float64(moves))))
	visits := make([]int, moves)
	for left := moves; len(sequence) < n; left = max(2, left/2) {
		for range max(1, n/(rounds*left)) {
			for i := range left {
				sequence = append(sequence, visits[i])
				visits[i]++
			}
		}
	}
	return sequence[:n]
}

// By hand: 16 moves have 4 rounds of 32/4 = 8 simulations, fewer than one for each of 16; 4 moves have 2 rounds of 25, 6 for each
// of 4 and 12 for each of 2, and what is left over goes to those 2.
func TestConsideredVisits(t *testing.T) {
	repeat := func(from, to, times int) (visits []int) {
		for v := from; v < to; v++ {
			visits = append(visits, slices.Repeat([]int{v}, times)...)
		}
		return visits
	}
	for _, test := range []struct {
		moves, simulations int
		want               []int
	}{
		{16, 32, slices.Concat(repeat(0, 1, 16), repeat(1, 2, 8), repeat(2, 4, 4))},
		{4, 50, slices.Concat(repeat(0, 6, 4), repeat(6, 19, 2))},
		{7, 24, slices.Concat(repeat(0, 1, 7), repeat(1, 3, 3), repeat(3, 8, 2), []int{8})},
		{8, 13, slices.Concat(repeat(0, 1, 8), repeat(1, 2, 4), []int{2})},
		{8, 2, []int{0, 0}},
		{1, 4, []int{0, 1, 2, 3}},
		{0, 2, []int{0, 1}},
	} {
		for i, want := range test.want {
			if got := mcts.ConsideredVisits(test.moves, test.simulations, i); got != want {
				t.Errorf("simulation %d of %d considers %d visits of %d moves, want %d", i, test.simulations, got, test.moves, want)
			}
		}
		if n := len(test.want); n != test.simulations {
			t.Errorf("%d moves: %d visits by hand for %d simulations", test.moves, n, test.simulations)
		}
	}
	for moves := range 40 {
		for n := range 130 {
			for i, want := range sequentialHalving(moves, n) {
				if got := mcts.ConsideredVisits(moves, n, i); got != want {
					t.Fatalf("simulation %d of %d considers %d visits of %d moves, want %d", i, n, got, moves, want)
				}
			}
		}
	}
}

// dealt is what the sequence makes of the visits of all moves, in descending order.
func dealt(moves, considered, n int) []int {
	visits := make([]int, moves)
	for _, v := range sequentialHalving(considered, n) {
		visits[slices.Index(visits, v)]++
	}
	slices.SortFunc(visits, func(a, b int) int { return b - a })
	return visits
}

// since lists the visits that the root's moves got beyond those before, in descending order.
func since(stats, before []mcts.Stat) (visits []int) {
	for i, stat := range stats {
		visits = append(visits, stat.Visits)
		if before != nil {
			visits[i] -= before[i].Visits
		}
	}
	slices.SortFunc(visits, func(a, b int) int { return b - a })
	return visits
}

// The simulations at the root are those of sequential halving, one leaf in flight or several.
func TestGumbelHalves(t *testing.T) {
	for seed := range uint64(60) {
		rng := random.New(seed, random.Test)
		moves, m, n, batch := 1+rng.IntN(20), 1+rng.IntN(20), 1+rng.IntN(80), 1+rng.IntN(6)
		priors, values := randomBandit(seed, moves)
		s := halved(t, withGumbel(m), priors, values, seed, n, batch)
		if got, want := since(s.Stats(nil), nil), dealt(moves, min(m, moves), n); !slices.Equal(got, want) {
			t.Errorf("%d of %d moves, %d simulations: visits %v, want %v", m, moves, n, got, want)
		}
		checkNothingInFlight(t, s)
	}
}

// Visits from the search before are kept, and don't count.
func TestGumbelKeepsTheTree(t *testing.T) {
	g := connect4.Standard()
	ev := hashed[connect4.State](3)
	s := mcts.New[connect4.State](withGumbel(4), g.Actions())
	s.Reset(g.Start())
	rng := random.New(3, random.Test)
	for ply := range 5 {
		before := s.Stats(nil)
		expanded := 0
		if len(before) == 0 {
			before, expanded = nil, 1
		}
		s.Begin(24+expanded, rng)
		run(t, s, ev)
		if got, want := since(s.Stats(nil), before), dealt(7, 4, 24); !slices.Equal(got, want) {
			t.Errorf("ply %d: the search gave %v visits to %v, want %v", ply, got, before, want)
		}
		if err := s.CheckOrder(); err != nil {
			t.Error(err)
		}
		s.Advance(decided(s, 1, rng).Action)
	}
}

// A proven loss drops out late, and leaves moves that all have more simulations than are wanted next. The one with the fewest
// catches up first. Of 30 simulations, 5 go to each of three moves, and then a and b, the best, take turns. The tenth of a proves
// it lost, when b has 9: the 14 that count want moves of 4.
func TestGumbelAfterALateProof(t *testing.T) {
	cfg := withGumbel(16)
	_, ev := bandit([]float32{0.4, 0.3, 0.3}, []float64{0.9, 0.5, -0.5})
	s := mcts.New[toy](cfg, toyActions)
	s.Reset(newToy("aaaaaaaaaaa=+1 b c"))
	for _, test := range []struct {
		simulations int
		want        []int
	}{{24, []int{10, 9, 5}}, {26, []int{10, 9, 7}}, {28, []int{10, 9, 9}}, {30, []int{10, 10, 10}}} {
		s.Reset(s.Root())
		s.Begin(31, random.New(1, random.Test)) // one expands the root
		step(t, s, ev, test.simulations+1)
		var got []int
		for _, move := range "abc" {
			got = append(got, statOf(t, s, letter(byte(move))).Visits)
		}
		if !slices.Equal(got, test.want) || statOf(t, s, letter('a')).Proven != game.Loss {
			t.Errorf("after %d simulations a, b and c have %v, want %v", test.simulations, got, test.want)
		}
	}
}

// With exact values and simulations for every move, sequential halving finds the best move, if it is so much better that
// luck and priors do not count.
func TestGumbelFindsTheBest(t *testing.T) {
	cfg := withGumbel(16)
	for seed := range uint64(100) {
		priors, values := randomBandit(seed, 2+int(seed)%15)
		best := slices.Index(values, slices.Max(values))
		for i := range values {
			values[i] = min(values[i], 0)
		}
		values[best] = 1
		s := halved(t, cfg, priors, values, seed, len(values)+int(seed)%50, 1)
		if d := decided(s, 1, random.New(seed, random.Test)); int(d.Action) != best {
			t.Errorf("seed %d: plays %d of %v", seed, d.Action, values)
		}
	}
}

// Among moves that are equal in all but their luck, the one of the largest g is played, also at temperature 0.
func TestGumbelAmongEqualMoves(t *testing.T) {
	for seed := range uint64(10) {
		s := halved(t, withGumbel(4), []float32{0.25, 0.25, 0.25, 0.25}, []float64{0.5, 0.5, 0.5, 0.5}, seed, 8, 1)
		g := s.GumbelNoise()[:4]
		if d := decided(s, 0, random.New(seed, random.Test)); int(d.Action) != slices.Index(g, slices.Max(g)) {
			t.Errorf("seed %d: plays %d where g is %v", seed, d.Action, g)
		}
	}
}

// Where a search does not explore, PUCT searches on in whatever the tree holds, as without this root.
func TestGumbelOnlyWhereItExplores(t *testing.T) {
	g := connect4.Standard()
	ev := hashed[connect4.State](1)
	want := searched(t, alphaZero(), g.Actions(), g.Start(), ev, 300)
	s := searched(t, withGumbel(16), g.Actions(), g.Start(), ev, 300)
	checkSame(t, s, want)
	s.Begin(340, random.New(1, random.Test))
	run(t, s, ev)
	s.Begin(400, nil)
	run(t, s, ev)
	if policy := decided(s, 1, random.New(1, random.Test)).Policy; policy[3] != float32(statOf(t, s, 3).Visits) {
		t.Errorf("after another search by PUCT the policy is %v, the visits %v", policy, s.Stats(nil))
	}
}

// draws counts what is drawn from a source.
type draws struct {
	rand.Source
	n int
}

func (d *draws) Uint64() uint64 {
	d.n++
	return d.Source.Uint64()
}

// A search draws one number for each legal move when its root is expanded, and none for its move.
func TestGumbelDraws(t *testing.T) {
	source := &draws{Source: random.New(1, random.Test)}
	rng := rand.New(source)
	priors, values := randomBandit(1, 9)
	root, ev := bandit(priors, values)
	s := begun(withGumbel(4), toyActions, root, 30, rng)
	if source.n != 0 {
		t.Errorf("%d numbers are drawn before the root is expanded", source.n)
	}
	run(t, s, ev)
	if decided(s, 1, rng); source.n != 9 {
		t.Errorf("%d numbers are drawn for 9 moves", source.n)
	}
}
