package selfplay

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/errtest"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/replay"
)

var noError = errtest.NoError

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// oracle is an evaluator whose opinions follow from the position alone, with some randomness to make games differ.
type oracle[S game.State[S]] struct {
	value func(rng *rand.Rand) float32 // for the first player
	fail  error
}

func (o *oracle[S]) Evaluate(leaves []S, priors [][]float32, values []float32) error {
	for i, s := range leaves {
		if _, over := s.Outcome(); over {
			return errors.New("a finished game was evaluated")
		}
		key := s.Key()
		rng := random.New(key[0], random.Test, key[1], uint64(s.Last()+1))
		clear(priors[i])
		for _, a := range s.Legal(nil) {
			priors[i][a] = rng.Float32()
		}
		values[i] = o.value(rng)
		values[i] *= float32(s.ToMove())
	}
	return o.fail
}

func anyValue(rng *rand.Rand) float32 { return rng.Float32() - 0.4 }

// testPool returns a pool for a game with that many workers on oracles.
func testPool[S game.State[S]](g game.Game[S], cfg Config, workers int, value func(*rand.Rand) float32) *Pool[S] {
	return searchPool(g, cfg, alphaZeroSearch(), workers, value)
}

// searchPool is testPool with another search, of few simulations.
func searchPool[S game.State[S]](g game.Game[S], cfg Config, search mcts.Config, workers int, value func(*rand.Rand) float32) *Pool[S] {
	var evaluators []mcts.Evaluator[S]
	for range workers {
		evaluators = append(evaluators, &oracle[S]{value: value})
	}
	return NewPool(g, cfg, search, 7, evaluators)
}

// generate plays n games numbered from first and returns them in that order.
func generate[S game.State[S]](t testing.TB, p *Pool[S], first uint64, n int) ([]*replay.Record, replay.Stats) {
	t.Helper()
	games := make([]*replay.Record, n)
	stats, err := p.Play(t.Context(), 3, Numbers(numbers(first, n)), func(g *replay.Record) error {
		games[g.Number-first] = g
		return nil
	})
	if err != nil || stats.Games != n {
		t.Fatalf("%d games of %d, error %v", stats.Games, n, err)
	}
	return games, stats
}

func numbers(first uint64, n int) (all []uint64) {
	for i := range n {
		all = append(all, first+uint64(i))
	}
	return all
}

// alphaZero is AlphaZero's self-play: what it does not have is off.
func alphaZero() Config {
	cfg := Default()
	cfg.CacheMegabytes, cfg.OpeningPlies, cfg.OpeningBalance = 64, 4, 0
	cfg.Temperature, cfg.TemperaturePlies, cfg.FinalTemperature = 1, 12, 0.25
	cfg.ReuseTree, cfg.GrowIterations, cfg.ProvenWeight, cfg.SurpriseShare = true, 0, 1, 0
	cfg.Openings = Openings{DeepPlies: 20}
	return cfg
}

// alphaZeroSearch is AlphaZero's search, with few simulations.
func alphaZeroSearch() mcts.Config {
	c := mcts.Default()
	c.Simulations, c.RootFirstPlayReduction, c.ForcedNodes = 12, 0.2, 0
	c.RootPolicyTemperature, c.ForcedPlayouts = 1, 0
	return c
}

// testConfig makes games with usual openings.
func testConfig() Config {
	cfg := alphaZero()
	cfg.GamesPerWorker, cfg.CacheMegabytes = 5, 1
	return cfg
}

// everything makes games with all that can be turned on.
func everything() Config {
	cfg := testConfig()
	cfg.GrowIterations = 10
	cfg.EndingPlies = 15
	cfg.ProvenWeight, cfg.SurpriseShare = 0.2, 0.5
	cfg.Openings = Openings{DeepShare: 0.3, DeepPlies: 9, PolicyShare: 0.3}
	cfg.OpeningBalance = 0.3
	return cfg
}

// A game depends on the seed, its number and the model alone: not on the number of workers, the games in lockstep, the
// cache, or the games that were asked for with it.
func TestGamesFollowFromTheirNumbers(t *testing.T) {
	t.Run("usual", func(t *testing.T) { testGamesFollowFromTheirNumbers(t, testConfig(), alphaZeroSearch()) })
	t.Run("everything", func(t *testing.T) {
		search := alphaZeroSearch()
		search.ForcedNodes = 30
		testGamesFollowFromTheirNumbers(t, everything(), search)
	})
}

// encodings returns 20 games of Connect Four by one worker.
func encodings(t *testing.T, cfg Config, search mcts.Config) (all []string) {
	t.Helper()
	games, _ := generate(t, searchPool(connect4.Standard(), cfg, search, 1, anyValue), 0, 20)
	for _, g := range games {
		all = append(all, encode(t, g))
	}
	return all
}

// slow is an evaluator that takes a second. Within synctest nothing else takes time.
type slow struct {
	oracle[mnk.State]
	calls int
}

func (s *slow) Evaluate(leaves []mnk.State, priors [][]float32, values []float32) error {
	s.calls++
	time.Sleep(time.Second)
	return s.oracle.Evaluate(leaves, priors, values)
}

// The workers' time is divided into the network's and the rest, which here is the time of handing over games.
func TestTimesOfWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		search := alphaZeroSearch()
		search.Simulations = 12
		one, two := &slow{oracle: oracle[mnk.State]{value: anyValue}}, &slow{oracle: oracle[mnk.State]{value: anyValue}}
		p := NewPool(mnk.TicTacToe(), testConfig(), search, 7, []mcts.Evaluator[mnk.State]{one, two})
		stats, err := p.Play(t.Context(), 3, Numbers(numbers(0, 12)), func(*replay.Record) error {
			time.Sleep(time.Minute)
			return nil
		})
		noError(t, err)
		if calls := time.Duration(one.calls + two.calls); stats.Network != calls*time.Second || stats.Search != 12*time.Minute {
			t.Errorf("%d evaluations of a second, 12 games: %v in the network, %v outside it", calls, stats.Network, stats.Search)
		}
	})
}

// Games that learn forced moves equal games of a search without proofs, and differ from games with them.
func TestGamesThatLearnForcedMoves(t *testing.T) {
	cfg, search := everything(), alphaZeroSearch()
	without := encodings(t, cfg, search)
	search.ForcedNodes = 30
	if slices.Equal(encodings(t, cfg, search), without) {
		t.Error("search.forced_nodes changes no game")
	}
	cfg.LearnForcedMoves = true
	if !slices.Equal(encodings(t, cfg, search), without) {
		t.Error("selfplay.learn_forced_moves and search.forced_nodes 0 play other games")
	}
}

func testGamesFollowFromTheirNumbers(t *testing.T, base Config, search mcts.Config) {
	g := connect4.Standard()
	want, _ := generate(t, searchPool(g, base, search, 1, anyValue), 0, 40)
	for _, c := range []struct {
		name                    string
		workers, slots, cacheMB int
		first, n                int
	}{
		{"two workers", 2, 5, 1, 0, 40},
		{"four workers", 4, 2, 1, 0, 40},
		{"other lockstep", 1, 17, 1, 0, 40},
		{"one game at a time", 1, 1, 1, 0, 40},
		{"no cache", 2, 3, 0, 0, 40},
		{"some of them", 2, 5, 1, 23, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := base
			cfg.GamesPerWorker, cfg.CacheMegabytes = c.slots, c.cacheMB
			games, _ := generate(t, searchPool(g, cfg, search, c.workers, anyValue), uint64(c.first), c.n)
			for i, got := range games {
				if encode(t, got) != encode(t, want[c.first+i]) {
					t.Errorf("game %d differs:\n%+v\n%+v", c.first+i, got, want[c.first+i])
				}
			}
		})
	}
}

func encode(t *testing.T, g *replay.Record) string {
	t.Helper()
	b, err := g.MarshalBinary()
	noError(t, err)
	return string(b)
}

// The records are those of real games: a window takes them, after checking moves, counts and outcomes against the rules.
func TestRecordsAreValid(t *testing.T) {
	for _, cfg := range []Config{testConfig(), everything()} {
		check(t, connect4.Standard(), cfg, alphaZeroSearch())
		check(t, mnk.TicTacToe(), cfg, alphaZeroSearch())
	}
}

func check[S game.State[S]](t *testing.T, g game.Game[S], cfg Config, search mcts.Config) {
	t.Helper()
	games, stats := generate(t, searchPool(g, cfg, search, 2, anyValue), 0, 60)
	window := replay.NewWindow(g, replay.Default(), nil)
	positions := 0
	for i, record := range games {
		if record.Number != uint64(i) || record.Seed != 7 || record.Model != 3 {
			t.Errorf("game %d has number %d, seed %d, model %d", i, record.Number, record.Seed, record.Model)
		}
		noError(t, window.Add(record))
		positions += record.Positions()
		read := new(replay.Record)
		if err := read.UnmarshalBinary([]byte(encode(t, record))); err != nil || encode(t, read) != encode(t, record) {
			t.Errorf("game %d is another after it was written and read (%v)", i, err)
		}
	}
	if window.Len() != positions {
		t.Errorf("%s: the window holds %d positions to learn from, the games %d", g.Name(), window.Len(), positions)
	}
	if stats.Evaluations != stats.CacheLookups-stats.CacheHits || stats.CacheHits == 0 || stats.Simulations < stats.Evaluations {
		t.Errorf("%s: the figures do not fit together: %+v", g.Name(), stats)
	}
}

// With temperature 0 the most visited move is played. A search has the first temperature until the ply that the
// configuration says.
func TestTemperature(t *testing.T) {
	cfg := testConfig()
	cfg.OpeningPlies = 0
	cfg.Temperature, cfg.TemperaturePlies, cfg.FinalTemperature = 100, 6, 0
	games, _ := generate(t, testPool(connect4.Standard(), cfg, 1, anyValue), 0, 50)
	hot, cold := 0, 0
	for _, g := range games {
		for ply, a := range g.Moves {
			actions, shares := g.Policy.Row(ply)
			if int(shares[slices.Index(actions, int16(a))])+1 < int(slices.Max(shares)) { // shares are rounded
				if ply < 6 {
					hot++
				} else {
					cold++
				}
			}
		}
	}
	if hot == 0 || cold > 0 {
		t.Errorf("%d hot and %d cold moves were not the most visited ones, want some and none", hot, cold)
	}
}

// The pool plays exactly the requested games. Each is the same alone, among others and in a new pool.
func TestNumbers(t *testing.T) {
	p := testPool(connect4.Standard(), everything(), 2, anyValue)
	want, _ := generate(t, p, 0, 40)
	scattered := []uint64{31, 3, 17, 39, 0, 4}
	var mu sync.Mutex
	var played []uint64
	_, err := p.Play(t.Context(), 3, Numbers(scattered), func(g *replay.Record) error {
		mu.Lock()
		defer mu.Unlock()
		played = append(played, g.Number)
		if encode(t, g) != encode(t, want[g.Number]) {
			t.Errorf("game %d differs", g.Number)
		}
		return nil
	})
	slices.Sort(scattered)
	if slices.Sort(played); err != nil || !slices.Equal(played, scattered) {
		t.Errorf("played %v, want %v (%v)", played, scattered, err)
	}
}

// Who has said that there is no game to play is asked again while another game goes on.
func TestNextIsAskedAgain(t *testing.T) {
	cfg := testConfig()
	cfg.GamesPerWorker = 2
	asked, played := 0, []uint64{}
	next := func() (uint64, bool) {
		asked++
		return uint64(asked), asked == 1 || asked == 5
	}
	_, err := testPool(connect4.Standard(), cfg, 1, anyValue).Play(t.Context(), 3, next, func(g *replay.Record) error {
		played = append(played, g.Number)
		return nil
	})
	slices.Sort(played)
	if err != nil || !slices.Equal(played, []uint64{1, 5}) {
		t.Errorf("played %v, want the games 1 and 5 (%v)", played, err)
	}
}

func TestPlayFails(t *testing.T) {
	broken := errors.New("broken")
	g := connect4.Standard()
	good, bad := &oracle[connect4.State]{value: anyValue}, &oracle[connect4.State]{value: anyValue, fail: broken}
	p := NewPool(g, testConfig(), alphaZeroSearch(), 1, []mcts.Evaluator[connect4.State]{good, bad})
	keep := func(*replay.Record) error { return nil }
	if _, err := p.Play(t.Context(), 0, Numbers(numbers(0, 1000)), keep); !errors.Is(err, broken) {
		t.Errorf("got %v, want the evaluator's error", err)
	}
	p = testPool(g, testConfig(), 2, anyValue)
	if _, err := p.Play(t.Context(), 0, Numbers(numbers(0, 1000)), func(*replay.Record) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of finished", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var done atomic.Int32
	_, err := p.Play(ctx, 0, Numbers(numbers(0, 1000)), func(*replay.Record) error {
		if done.Add(1) >= 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after cancelling", err)
	}
	generate(t, p, 0, 10) // the pool is still good
}

// Games that need no evaluation, because the cache has all of them, end with their context as others do.
func TestPlayIsCancelledAmongCachedGames(t *testing.T) {
	cfg := testConfig()
	cfg.GamesPerWorker = 1
	p := testPool(mnk.TicTacToe(), cfg, 1, anyValue)
	again := make([]uint64, 1000) // the same game
	ctx, cancel := context.WithCancel(t.Context())
	played := 0
	_, err := p.Play(ctx, 3, Numbers(again), func(*replay.Record) error {
		if played++; played == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || played != 3 {
		t.Errorf("%d games, cancelled after the third: error %v", played, err)
	}
}

func TestConfigValidate(t *testing.T) {
	noError(t, Default().Validate())
	for _, spoil := range []func(*Config){
		func(c *Config) { c.Workers = -1 },
		func(c *Config) { c.GamesPerWorker = -1 },
		func(c *Config) { c.CacheMegabytes = -1 },
		func(c *Config) { c.Temperature = -0.1 },
		func(c *Config) { c.GrowIterations = -1 },
		func(c *Config) { c.ProvenWeight = -0.1 },
		func(c *Config) { c.ProvenWeight = 1.1 },
		func(c *Config) { c.OpeningBalance = 1.5 },
		func(c *Config) { c.Openings.DeepShare = -0.5 },
		func(c *Config) { c.Openings.DeepShare, c.Openings.PolicyShare = 0.5, 0.6 },
		func(c *Config) { c.SurpriseShare = 1.1 },
	} {
		c := Default()
		spoil(&c)
		if c.Validate() == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

func BenchmarkPlay(b *testing.B) {
	g := connect4.Standard()
	search := alphaZeroSearch()
	search.Simulations = 100
	p := NewPool(g, alphaZero(), search, 1, []mcts.Evaluator[connect4.State]{&mcts.Uniform[connect4.State]{}})
	b.ReportAllocs()
	var simulations int64
	for b.Loop() {
		_, stats := generate(b, p, 0, 64)
		simulations += stats.Simulations
	}
	b.ReportMetric(float64(simulations)/b.Elapsed().Seconds(), "simulations/s")
}
