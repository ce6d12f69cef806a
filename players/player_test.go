package players_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tengen/eval"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/players"
)

// likes is an evaluator that prefers some columns and finds every position even.
type likes []float32

func (l likes) Evaluate(leaves []connect4.State, priors [][]float32, values []float32) error {
	for i, s := range leaves {
		clear(priors[i])
		sum := float32(0)
		for _, a := range s.Legal(nil) {
			priors[i][a] = l[a]
			sum += l[a]
		}
		for a := range priors[i] {
			priors[i][a] /= sum
		}
		values[i] = 0
	}
	return nil
}

var (
	even   = likes{1, 1, 1, 1, 1, 1, 1}
	uneven = likes{1, 2, 9, 4, 3, 9, 1}
)

func newNet(t *testing.T, ev mcts.Evaluator[connect4.State], simulations, batch int) players.Answerer[connect4.State] {
	t.Helper()
	return newPlayer(t, connect4Builder(ev, batch), fmt.Sprintf("net:m:%d", simulations))
}

// connect4Builder opens ev, whatever the path.
func connect4Builder(ev mcts.Evaluator[connect4.State], batch int) players.Builder[connect4.State] {
	return players.Builder[connect4.State]{
		Game: connect4.Standard(), Batch: batch,
		Open: func(string) (players.Network[connect4.State], error) {
			return players.Network[connect4.State]{Search: mcts.Default(), Evaluator: func() (mcts.Evaluator[connect4.State], error) { return ev, nil }}, nil
		},
	}
}

func choose(t *testing.T, p players.Answerer[connect4.State], positions []connect4.State, rngs []*rand.Rand) []game.Action {
	t.Helper()
	moves := make([]game.Action, len(positions))
	if err := p.Choose(t.Context(), at(positions...), rngs, moves); err != nil {
		t.Fatal(err)
	}
	return moves
}

// openingPositions are n positions after some random plies, and a generator for each.
func openingPositions[S game.State[S]](t *testing.T, g game.Game[S], plies, n int) (positions []S, rngs func() []*rand.Rand) {
	t.Helper()
	openings, err := eval.Openings(g, plies, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, moves := range openings {
		s, err := game.Replay(g, moves)
		if err != nil {
			t.Fatal(err)
		}
		positions = append(positions, s)
	}
	return positions, func() (rngs []*rand.Rand) {
		for i := range positions {
			rngs = append(rngs, random.New(3, random.Test, uint64(i)))
		}
		return rngs
	}
}

// checkPromises asks a player about positions together and one by one: the answers are the same, and the best move of an
// analysis is the move chosen.
func checkPromises[S game.State[S]](t *testing.T, b players.Builder[S], text string, plies int) {
	t.Helper()
	positions, rngs := openingPositions(t, b.Game, plies, 30)
	p := newPlayer(t, b, text)
	together, alone := make([]game.Action, len(positions)), make([]game.Action, len(positions))
	if err := p.Choose(t.Context(), at(positions...), rngs(), together); err != nil {
		t.Fatal(err)
	}
	for i, rng := range rngs() {
		if err := p.Choose(t.Context(), at(positions[i:i+1]...), []*rand.Rand{rng}, alone[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(together, alone) {
		t.Errorf("%s: moves %v together, %v one by one", text, together, alone)
	}
	analyses := make([]*players.Analysis, len(positions))
	if err := p.Analyze(t.Context(), at(positions...), rngs(), analyses); err != nil {
		t.Fatal(err)
	}
	for i, rng := range rngs() {
		a, err := analyzeOne(t.Context(), p, positions[i], rng)
		if err != nil {
			t.Fatal(err)
		}
		if text == "solver" { // remembers, and so visits fewer positions the second time
			a.Simulations = analyses[i].Simulations
		}
		if !reflect.DeepEqual(a, analyses[i]) {
			t.Errorf("%s, position %d: %+v together, %+v alone", text, i, analyses[i], a)
		}
		if a.Best != together[i] {
			t.Errorf("%s, position %d: analysis plays %d, Choose %d", text, i, a.Best, together[i])
		}
		checkAnalysis(t, text, positions[i], a)
	}
}

// checkAnalysis holds what is true of every analysis.
func checkAnalysis[S game.State[S]](t *testing.T, text string, s S, a *players.Analysis) {
	t.Helper()
	sum := 0.0
	for _, p := range a.Policy {
		sum += float64(p)
	}
	var moves []game.Action
	for _, m := range a.Moves {
		moves = append(moves, m.Action)
	}
	if math.Abs(sum-1) > 1e-5 || !slices.Equal(moves, s.Legal(nil)) || len(a.PV) == 0 || a.PV[0] != a.Best {
		t.Errorf("%s: policy sums to %v, moves %v, best %d, pv %v", text, sum, moves, a.Best, a.PV)
	}
	if !(a.Value >= -1 && a.Value <= 1) || a.Policy[a.Best] != slices.Max(a.Policy) {
		t.Errorf("%s: value %v, best move %d of policy %v", text, a.Value, a.Best, a.Policy)
	}
}

func TestAnswersDoNotDependOnTheRestOfTheCall(t *testing.T) {
	for _, text := range []string{"random", "uct:50", "alphabeta:3", "net:m:20", "net:m:0"} {
		checkPromises(t, connect4Builder(even, 4), text, 8)
		checkPromises(t, connect4Builder(uneven, 100), text, 8)
	}
	for _, text := range []string{"solver", "alphabeta:9"} {
		checkPromises(t, ticTacToe(), text, 3)
	}
}

// A search of many positions at once is, for each, the one with one leaf in flight.
func TestNetAnalysisIsTheSequentialSearch(t *testing.T) {
	const simulations = 60
	positions, rngs := openingPositions(t, connect4.Standard(), 6, 20)
	analyses := make([]*players.Analysis, len(positions))
	if err := newNet(t, uneven, simulations, 7).Analyze(t.Context(), at(positions...), rngs(), analyses); err != nil {
		t.Fatal(err)
	}
	search := mcts.New[connect4.State](mcts.Default(), connect4.Standard().Actions())
	for i, s := range positions {
		search.Reset(s)
		search.Begin(simulations, nil)
		uneven := []mcts.Evaluator[connect4.State]{uneven}
		if err := mcts.Drive(t.Context(), []*mcts.Search[connect4.State]{search}, uneven, mcts.DriveOptions{Batch: 1}); err != nil {
			t.Fatal(err)
		}
		if got, want := analyses[i].Moves, search.Stats(nil); !slices.Equal(got, want) || analyses[i].Value != search.Value() {
			t.Errorf("position %d: %v with value %v, want %v with %v", i, got, analyses[i].Value, want, search.Value())
		}
	}
}

// Every kind of player that searches sees a win in one.
func TestAnalysisSeesAWin(t *testing.T) {
	s := gametest.Replay(t, connect4.Standard(), "121212")
	for _, text := range []string{"uct:500", "net:m:1", "net:m:30", "net:m:400", "net:m:1h", "alphabeta:1"} {
		a, err := analyzeOne(t.Context(), newPlayer(t, connect4Builder(even, 8), text), s, random.New(1, random.Test))
		if err != nil {
			t.Fatal(err)
		}
		if a.Best != 0 || a.Value <= 0 || a.Proven != game.Win && text != "uct:500" {
			t.Errorf("%s: best move %d with value %v, proven %v; the first column wins", text, a.Best, a.Value, a.Proven)
		}
	}
}

// Without simulations the policy is the network's prior, also where a search would see a win at once.
func TestAnalysisWithoutSearch(t *testing.T) {
	s := gametest.Replay(t, connect4.Standard(), "121212")
	a, err := analyzeOne(t.Context(), newNet(t, even, 0, 1), s, random.New(1, random.Test))
	if err != nil {
		t.Fatal(err)
	}
	if a.Simulations != 0 || a.Value != 0 || a.Proven != game.Unknown {
		t.Errorf("%d simulations, value %v, proven %v; want none, 0 and nothing", a.Simulations, a.Value, a.Proven)
	}
	for _, m := range a.Moves {
		if math.Abs(float64(m.Prior)-1.0/7) > 1e-6 || m.Prior != a.Policy[m.Action] {
			t.Errorf("%+v with policy %v, want 1/7 each", m, a.Policy)
		}
	}
}

// A net with a time looks at one position after the other; however short the time, it evaluates once.
func TestNetWithATime(t *testing.T) {
	leaves := 0
	p := newPlayer(t, connect4Builder(counter{uneven, &leaves}, 32), "net:m:1ns")
	positions, rngs := openingPositions(t, connect4.Standard(), 4, 5)
	choose(t, p, positions, rngs())
	if leaves != len(positions) {
		t.Errorf("%d leaves for %d positions, want one each", leaves, len(positions))
	}
}

func TestBareNetPlaysItsPolicy(t *testing.T) {
	p := newNet(t, uneven, 0, 1)
	full := gametest.Replay(t, connect4.Standard(), "333333") // the favourite column is full
	seen := map[game.Action]bool{}
	for i := range uint64(100) {
		moves := choose(t, p, []connect4.State{gametest.Replay(t, connect4.Standard(), ""), full}, []*rand.Rand{random.New(i, random.Test), random.New(i, random.Test, 1)})
		seen[moves[0]] = true
		if moves[1] != 5 {
			t.Fatalf("action %d where only action 5 has the highest prior", moves[1])
		}
	}
	if len(seen) != 2 || !seen[2] || !seen[5] {
		t.Errorf("actions %v in 100 tries, want both of the two with the highest prior, 2 and 5", seen)
	}
}

type brokenEvaluator struct{ err error }

func (e brokenEvaluator) Evaluate([]connect4.State, [][]float32, []float32) error { return e.err }

func TestNetReturnsTheEvaluatorsError(t *testing.T) {
	broken := errors.New("broken")
	for _, simulations := range []int{0, 10} {
		p := newNet(t, brokenEvaluator{broken}, simulations, 1)
		err := p.Choose(t.Context(), at(gametest.Replay(t, connect4.Standard(), "")), []*rand.Rand{random.New(1, random.Test)}, make([]game.Action, 1))
		if !errors.Is(err, broken) {
			t.Errorf("%d simulations: error %v, want %v", simulations, err, broken)
		}
		if a, err := analyzeOne(t.Context(), p, gametest.Replay(t, connect4.Standard(), ""), random.New(1, random.Test)); !errors.Is(err, broken) || a != nil {
			t.Errorf("%d simulations: analysis %v, error %v, want %v", simulations, a, err, broken)
		}
	}
}

func TestSearchesEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	start, rng := gametest.Replay(t, connect4.Standard(), ""), random.New(1, random.Test)
	for _, text := range []string{"uct:10000000", "uct:1000h", "net:m:10000000", "net:m:1000h", "alphabeta:42"} {
		p := newPlayer(t, connect4Builder(even, 1), text)
		err := p.Choose(ctx, at(start), []*rand.Rand{rng}, make([]game.Action, 1))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", text, err, context.Canceled)
		}
		if a, err := analyzeOne(ctx, p, start, rng); !errors.Is(err, context.Canceled) || a != nil {
			t.Errorf("%s: analysis %v, error %v, want %v", text, a, err, context.Canceled)
		}
	}
}

// rooted has another opinion of roots.
type rooted struct{ leaves, roots likes }

func (r rooted) Evaluate(leaves []connect4.State, priors [][]float32, values []float32) error {
	return r.leaves.Evaluate(leaves, priors, values)
}

func (r rooted) EvaluateRoots(roots []connect4.State, priors [][]float32, values []float32) error {
	return r.roots.Evaluate(roots, priors, values)
}

// The positions that a player is asked about are evaluated as roots, with a search and without, however many there are.
func TestNetEvaluatesRoots(t *testing.T) {
	ev := rooted{even, likes{0, 0, 1, 0, 0, 3, 0}}
	positions := []connect4.State{gametest.Replay(t, connect4.Standard(), ""), gametest.Replay(t, connect4.Standard(), "4"), gametest.Replay(t, connect4.Standard(), "44")}
	for _, simulations := range []int{0, 1, 20} {
		for _, batch := range []int{1, 2, 8} {
			answers := make([]*players.Analysis, len(positions))
			rngs := make([]*rand.Rand, len(positions))
			for i := range rngs {
				rngs[i] = random.New(1, random.Test)
			}
			if err := newNet(t, ev, simulations, batch).Analyze(t.Context(), at(positions...), rngs, answers); err != nil {
				t.Fatal(err)
			}
			for _, a := range answers {
				if a.Moves[5].Prior != 0.75 || a.Moves[2].Prior != 0.25 || a.Simulations != simulations {
					t.Errorf("%d simulations in batches of %d: %+v", simulations, batch, a)
				}
			}
		}
	}
}
