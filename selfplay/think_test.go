package selfplay

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/replay"
)

// counter is a source of random numbers that counts them.
type counter struct {
	rand.Source
	draws int
}

func (c *counter) Uint64() uint64 {
	c.draws++
	return c.Source.Uint64()
}

// counted has the game in a slot, which has not made a move yet, draw from a source that counts.
func counted[S game.State[S]](s *liveGame[S], seed uint64) *counter {
	c := &counter{Source: random.New(seed, random.Test)}
	s.rng = rand.New(c)
	s.think()
	return c
}

// search searches for the slot's next move.
func search[S game.State[S]](t *testing.T, s *liveGame[S]) {
	t.Helper()
	o := &oracle[S]{value: anyValue}
	value := make([]float32, 1)
	for !s.search.Done() {
		leaf, status := s.search.Select()
		if status == mcts.Known {
			continue
		}
		if err := o.Evaluate([]S{leaf}, [][]float32{s.prior}, value); err != nil {
			t.Fatal(err)
		}
		s.search.Expand(s.prior, value[0])
	}
}

// eachMove plays games, and calls searched after each search and moved after each move that does not end its game.
func eachMove[S game.State[S]](t *testing.T, s *liveGame[S], searched, moved func()) {
	t.Helper()
	for number := range uint64(20) {
		for s.begin(7, number, 3); ; moved() {
			search(t, s)
			searched()
			if s.move() {
				break
			}
		}
	}
}

// Searches in the ending have as many simulations as it says, and no others.
func TestEndingSimulations(t *testing.T) {
	cfg := testConfig()
	cfg.EndingPlies, cfg.EndingSimulations = 20, 5
	games, _ := generate(t, testPool(connect4.Standard(), cfg, 2, anyValue), 0, 40)
	counts := map[bool]map[uint32]int{false: {}, true: {}}
	for _, g := range games {
		for row, n := range g.Simulations {
			proven := n == 0 || slices.Contains([]float32{-1, 0, 1}, g.Values[row])
			if !proven {
				counts[42-(g.Opening+row) <= 20][n]++
			}
		}
	}
	for ending, want := range map[bool]uint32{false: 12, true: 5} {
		if len(counts[ending]) != 1 || counts[ending][want] == 0 {
			t.Errorf("in the ending %v: searches by their simulations %v, want %d in all", ending, counts[ending], want)
		}
	}
	for _, test := range []struct{ plies, simulations, left, want int }{
		{0, 5, 1, 12}, {20, 0, 1, 12}, {20, 5, 21, 12}, {20, 5, 20, 5}, {20, 50, 20, 12},
	} {
		cfg.EndingPlies, cfg.EndingSimulations = test.plies, test.simulations
		if got := cfg.fullSimulations(12, test.left); got != test.want {
			t.Errorf("%+v: %d simulations", test, got)
		}
	}
}

// Wu 2019, section 3.1: full searches explore and are learned from, fast ones are not, and have fewer simulations, those counted
// that are kept from the search before.
func TestPlayoutCapRandomization(t *testing.T) {
	cfg := testConfig()
	cfg.ResignBelow, cfg.FullShare, cfg.FastSimulations = -1, 0.25, 6
	games, stats := generate(t, testPool(connect4.Standard(), cfg, 2, anyValue), 0, 60)
	full, fast, shorter, sum := 0, 0, 0, int64(0)
	for _, g := range games {
		positions := 0
		for row, n := range g.Simulations {
			sum += int64(n)
			proven := n == 0 || slices.Contains([]float32{-1, 0, 1}, g.Values[row])
			switch {
			case g.Weights[row] == replay.FullWeight:
				full++
				positions++
				if n != 12 && !proven {
					t.Errorf("game %d, row %d: a full search of %d simulations, want 12", g.Number, row, n)
				}
			case g.Weights[row] == 0:
				fast++
				if n > 6 {
					t.Errorf("game %d, row %d: a fast search of %d simulations, want at most 6", g.Number, row, n)
				}
				if n < 6 && !proven {
					shorter++
				}
			default:
				t.Errorf("game %d, row %d: weight %d", g.Number, row, g.Weights[row])
			}
			if actions, _ := g.Policy.Row(row); len(actions) == 0 {
				t.Errorf("game %d, row %d has no policy", g.Number, row)
			}
		}
		if g.Positions() != positions {
			t.Errorf("game %d has %d positions to learn from, want %d", g.Number, g.Positions(), positions)
		}
	}
	if share := float64(full) / float64(full+fast); share < 0.2 || share > 0.3 {
		t.Errorf("%d full and %d fast searches, want about a quarter", full, fast)
	}
	if shorter == 0 {
		t.Error("no simulation was kept for a fast search")
	}
	if sum != stats.Simulations {
		t.Errorf("the searches had %d simulations, want %d", sum, stats.Simulations)
	}
}

// A Gumbel root is for full searches. The policy of a fast one is its visits, as PUCT's is.
func TestFastSearchesHaveNoGumbelRoot(t *testing.T) {
	cfg := testConfig()
	cfg.ResignBelow, cfg.FullShare, cfg.FastSimulations = -1, 0.5, 6
	constants := gumbel()
	constants.Simulations = 12
	s := newLiveGame(connect4.Standard(), cfg, constants)
	full, fast := 0, 0
	eachMove(t, s, func() {
		var d mcts.Decision
		s.search.Decide(0, random.New(1, random.Test), &d)
		visits := make([]float32, len(d.Policy))
		for _, move := range s.search.Stats(nil) {
			visits[move.Action] = float32(move.Visits)
		}
		switch {
		case slices.ContainsFunc(s.search.Stats(nil), func(m mcts.Stat) bool { return m.Proven != game.Unknown }):
		case slices.Equal(d.Policy, visits) == s.full:
			t.Fatalf("full is %v, the policy %v, the visits %v", s.full, d.Policy, visits)
		case s.full:
			full++
		default:
			fast++
		}
	}, func() {})
	if full < 50 || fast < 50 {
		t.Errorf("%d full and %d fast searches: too few to tell", full, fast)
	}
}

// The luck of a Gumbel root alone makes games differ while the temperature is high, and less so when it is low.
func TestGumbelRootMakesGamesDiffer(t *testing.T) {
	beginnings := func(temperature float64) int {
		cfg := testConfig()
		cfg.ResignBelow, cfg.OpeningPlies, cfg.Temperature = -1, 0, temperature
		constants := gumbel()
		constants.GumbelSimulations = 0
		games, _ := generate(t, searchPool(connect4.Standard(), cfg, constants, 1, anyValue), 0, 100)
		seen := map[[4]game.Action]bool{}
		for _, g := range games {
			seen[[4]game.Action(g.Moves)] = true
		}
		return len(seen)
	}
	if cold, warm, hot := beginnings(0), beginnings(1), beginnings(20); !(1 < cold && cold < warm && warm < hot) {
		t.Errorf("100 games begin in %d ways at temperature 0, %d at 1, %d at 20", cold, warm, hot)
	}
}

// The game's generator is drawn from at fixed points: a coin before a search, unless all are full, the noise of a full one, and
// the move.
func TestDrawsOfASearch(t *testing.T) {
	for _, test := range []struct {
		share, noise float64
		inMove       int // draws for a move and for the begin of a search without noise
	}{{1, 0, 1}, {0.5, 0, 2}, {0.5, 0.25, 2}} {
		cfg, constants := testConfig(), alphaZeroSearch()
		cfg.ResignBelow, cfg.FullShare, cfg.FastSimulations = -1, test.share, 6
		constants.Simulations, constants.NoiseWeight = 12, test.noise
		s := newLiveGame(connect4.Standard(), cfg, constants)
		full, fast := 0, 0
		for number := range uint64(20) {
			s.begin(7, number, 3)
			c := counted(s, number)
			for {
				quiet := !s.full || test.noise == 0
				before := c.draws
				search(t, s)
				if c.draws != before && quiet {
					t.Fatalf("%+v: a search without noise drew %d times", test, c.draws-before)
				}
				before = c.draws
				if s.move() {
					break
				}
				if s.full {
					full++
				} else {
					fast++
				}
				if n := c.draws - before; (!s.full || test.noise == 0) && n != test.inMove {
					t.Fatalf("%+v: a move and the begin of a search drew %d times", test, n)
				}
			}
		}
		if full == 0 || (fast == 0) != (test.share == 1) {
			t.Errorf("%+v: %d full and %d fast searches", test, full, fast)
		}
	}
}

// A full search among fast ones starts with an empty tree, so that its noise is not thinned out, unless its root is proven. Without
// ReuseTree all do.
func TestFullSearchesStartAnew(t *testing.T) {
	cfg := testConfig()
	cfg.ResignBelow, cfg.FullShare, cfg.FastSimulations = -1, 0.5, 6
	checkFullSearchesStartAnew(t, cfg)
	cfg.FullShare, cfg.ReuseTree = 1, false
	checkFullSearchesStartAnew(t, cfg)
}

func checkFullSearchesStartAnew(t *testing.T, cfg Config) {
	t.Helper()
	constants := alphaZeroSearch()
	constants.Simulations = 12
	s := newLiveGame(connect4.Standard(), cfg, constants)
	empty, proven, kept := 0, 0, 0
	eachMove(t, s, func() {}, func() {
		switch n := s.search.Visits(); {
		case s.full && s.search.Proven() != game.Unknown:
			proven++
		case s.full && n > 0:
			t.Fatalf("a full search starts with %d simulations", n)
		case s.full:
			empty++
		case n > 0:
			kept++
		}
	})
	if empty == 0 || proven == 0 || (kept == 0) != (cfg.FullShare == 1) {
		t.Errorf("%d full searches started empty, %d proven; %d fast ones kept the tree: want some of each", empty, proven, kept)
	}
}

// Simulations grow in a line with the model's number up to the model of the last growing iteration, and never fall.
func TestProgressiveSimulations(t *testing.T) {
	for _, test := range []struct {
		start, grow int
		model       uint64
		want        int
	}{
		{20, 0, 0, 100}, {20, 0, 7, 100},
		{20, 10, 0, 20}, {20, 10, 1, 28}, {20, 10, 5, 60}, {20, 10, 9, 92}, {20, 10, 10, 100}, {20, 10, 11, 100}, {20, 10, math.MaxUint64, 100},
		{20, 3, 1, 46}, // 46 2/3
		{300, 4, 0, 100}, {300, 4, 1, 100}, {300, 4, 4, 100},
	} {
		cfg := Config{StartSimulations: test.start, GrowIterations: test.grow}
		if got := cfg.simulations(test.model, 100); got != test.want {
			t.Errorf("%+v: %d simulations", test, got)
		}
	}
}

// The games of model 3, three tenths of the way from 4 to 12 simulations, have 6, and fast searches no more than that.
func TestGamesHaveProgressiveSimulations(t *testing.T) {
	cfg := testConfig()
	cfg.ResignBelow, cfg.FullShare, cfg.FastSimulations = -1, 0.5, 10
	cfg.StartSimulations, cfg.GrowIterations = 4, 10
	games, _ := generate(t, testPool(connect4.Standard(), cfg, 2, anyValue), 0, 20)
	most := map[uint16]uint32{}
	for _, g := range games {
		for row, n := range g.Simulations {
			most[g.Weights[row]] = max(most[g.Weights[row]], n)
		}
	}
	if want := map[uint16]uint32{0: 6, replay.FullWeight: 6}; !maps.Equal(most, want) {
		t.Errorf("at most %v simulations by weight, want %v", most, want)
	}
}

// The first ply at which a side is below the limit is noted, be it the first of the game.
func TestResignationAtTheStart(t *testing.T) {
	s := &liveGame[connect4.State]{cfg: Config{ResignBelow: -0.5}, game: &replay.Record{ResignPly: -1, PlayedOn: true}}
	if s.resigns(-0.5); s.game.ResignPly != -1 {
		t.Error("a side resigns at the limit")
	}
	for range 3 {
		if s.resigns(-0.9) {
			t.Error("a game that is played on is given up")
		}
		s.game.Moves = append(s.game.Moves, 3)
	}
	if s.game.ResignPly != 0 {
		t.Errorf("noted is ply %d, want 0", s.game.ResignPly)
	}
}
