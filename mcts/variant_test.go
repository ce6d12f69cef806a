package mcts_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/players"
	"tengen/replay"
	"tengen/selfplay"
)

// bestByMean is the move of the best mean value, which is what a search by turns plays outside of self-play.
func bestByMean(stats []mcts.Stat) game.Action {
	return slices.MaxFunc(stats, func(a, b mcts.Stat) int {
		switch {
		case a.Q > b.Q:
			return 1
		case a.Q < b.Q:
			return -1
		}
		return int(b.Action - a.Action)
	}).Action
}

// Run gives the root to the variant: which moves are searched, when it is over, and what is decided. The tree below goes on with
// the game, and the next search is one of its own.
func TestVariantRuns(t *testing.T) {
	mcts.UseTurns(t)
	g := connect4.Standard()
	ev := hashed[connect4.State](1)
	s := mcts.New[connect4.State](alphaZero(), g.Actions())
	s.Reset(g.Start())
	simulations := 1 + g.Actions()*mcts.Rounds // the first opens the root
	kept := make([]int, g.Actions())
	for range 3 {
		run(t, s, ev)
		d := decided(s, 0, random.New(1, random.Test))
		for i, stat := range s.Stats(nil) {
			if stat.Visits != kept[i]+mcts.Rounds || d.Policy[stat.Action] != 1 {
				t.Errorf("move %d has %d visits, %d of them new, and the target %v", i, stat.Visits, stat.Visits-kept[i], d.Policy[i])
			}
		}
		if !s.Done() || s.Simulations() != simulations || d.Action != bestByMean(s.Stats(nil)) || d.Value != s.Value() {
			t.Errorf("%d simulations, want %d; plays %d after %v", s.Simulations(), simulations, d.Action, s.Stats(nil))
		}
		if err := s.CheckOrder(); err != nil {
			t.Error(err)
		}
		s.Advance(d.Action)
		if s.Done() {
			t.Error("the next search is over before it began")
		}
		simulations = g.Actions() * mcts.Rounds // the root is open
		for i, stat := range s.Stats(nil) {
			kept[i] = stat.Visits
		}
	}
}

// With several leaves in flight, every move still gets its turns, and budgets hold as for any search.
func TestVariantInFlight(t *testing.T) {
	mcts.UseTurns(t)
	g := connect4.Standard()
	for _, budget := range []int{20, 1000} {
		s := begun(alphaZero(), g.Actions(), g.Start(), budget, nil)
		drive(t, s, hashed[connect4.State](1), 4)
		fewest := mcts.Rounds
		for _, stat := range s.Stats(nil) {
			fewest = min(fewest, stat.Visits)
		}
		if whole := fewest == mcts.Rounds; whole != (budget == 1000) || s.Simulations() > budget || s.Simulations() > 8*mcts.Rounds {
			t.Errorf("budget %d: %d simulations, %v", budget, s.Simulations(), s.Stats(nil))
		}
		checkNothingInFlight(t, s)
	}
}

func TestVariantWithOthers(t *testing.T) {
	mcts.UseTurns(t)
	TestTreesDoNotDependOnOthers(t)
}

// Self-play obeys a variant that it does not know: what is learned and how many simulations are made are the variant's, and so is
// the randomness, which follows from the games' numbers alone.
func TestVariantPlaysItself(t *testing.T) {
	mcts.UseTurns(t)
	g := connect4.Standard()
	cfg := selfplay.Default()
	cfg.GamesPerWorker, cfg.OpeningPlies, cfg.Openings, cfg.ProvenWeight = 3, 0, selfplay.Openings{}, 1
	play := func(workers int) map[uint64]*replay.Record {
		var evaluators []mcts.Evaluator[connect4.State]
		for range workers {
			evaluators = append(evaluators, hashed[connect4.State](1))
		}
		games := map[uint64]*replay.Record{}
		var mu sync.Mutex
		pool := selfplay.NewPool(g, cfg, alphaZero(), 1, evaluators)
		stats, err := pool.Play(t.Context(), 0, selfplay.Numbers([]uint64{0, 1, 2, 3, 4, 5}), func(r *replay.Record) error {
			mu.Lock()
			defer mu.Unlock()
			games[r.Number] = r
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		moves := 0
		for _, r := range games {
			moves += len(r.Moves)
		}
		if most := int64(moves * g.Actions() * mcts.Rounds); stats.Simulations == 0 || stats.Simulations > most+int64(moves) {
			t.Errorf("%d simulations for %d moves", stats.Simulations, moves)
		}
		return games
	}
	games, again := play(1), play(2)
	beginnings := map[[3]game.Action]bool{}
	for number, r := range games {
		if !slices.Equal(r.Moves, again[number].Moves) {
			t.Errorf("game %d is %v, then %v", number, r.Moves, again[number].Moves)
		}
		beginnings[[3]game.Action(r.Moves)] = true
		for ply := range r.Moves {
			if _, weights := r.Policy.Row(ply); slices.Max(weights)-slices.Min(weights) > 1 { // equal, but for rounding
				t.Errorf("game %d, ply %d: the target is %v", number, ply, weights)
			}
		}
	}
	if len(beginnings) < 2 {
		t.Errorf("without luck all games begin %v", beginnings)
	}
}

// So do players and analysts.
func TestVariantInTheArena(t *testing.T) {
	mcts.UseTurns(t)
	g := connect4.Standard()
	ev := hashed[connect4.State](1)
	s := mcts.New[connect4.State](alphaZero(), g.Actions())
	s.Reset(g.Start())
	run(t, s, ev)
	want := bestByMean(s.Stats(nil))

	builder := players.Builder[connect4.State]{Game: g, Batch: 1,
		Open: func(string) (players.Network[connect4.State], error) {
			return players.Network[connect4.State]{Search: alphaZero(), Evaluator: func() (mcts.Evaluator[connect4.State], error) { return ev, nil }}, nil
		}}
	entrant, err := builder.Build(players.Spec{Kind: players.KindNet, Limit: 400})
	if err != nil {
		t.Fatal(err)
	}
	analyst, err := entrant.New()
	if err != nil {
		t.Fatal(err)
	}
	moves, analyses := []game.Action{game.None}, make([]*players.Analysis, 1)
	for _, err := range []error{
		analyst.Choose(t.Context(), []connect4.State{g.Start()}, []*rand.Rand{random.New(1, random.Test)}, moves),
		analyst.Analyze(t.Context(), []connect4.State{g.Start()}, []*rand.Rand{random.New(1, random.Test)}, analyses),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	a := analyses[0]
	if moves[0] != want || a.Best != want || a.Simulations != s.Simulations() {
		t.Errorf("the player chooses %d, the analyst %d after %d simulations; want %d after %d",
			moves[0], a.Best, a.Simulations, want, s.Simulations())
	}
	for _, share := range a.Policy {
		if share != 1/float32(g.Actions()) {
			t.Errorf("the analyst's policy is %v", a.Policy)
		}
	}
}
