package players_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/players"
)

// counter counts the leaves that an evaluator is asked for.
type counter struct {
	mcts.Evaluator[connect4.State]
	leaves *int
}

func (c counter) Evaluate(leaves []connect4.State, priors [][]float32, values []float32) error {
	*c.leaves += len(leaves)
	return c.Evaluator.Evaluate(leaves, priors, values)
}

func TestBuild(t *testing.T) {
	var opened []string
	leaves := 0
	search := mcts.Default()
	search.Simulations = 33
	builder := players.Builder[connect4.State]{
		Game:  connect4.Standard(),
		Batch: 4,
		Open: func(path string) (players.Network[connect4.State], error) {
			opened = append(opened, path)
			return players.Network[connect4.State]{Search: search, Evaluator: func() (mcts.Evaluator[connect4.State], error) { return counter{even, &leaves}, nil }}, nil
		},
	}
	for _, c := range []struct {
		text, name string
		limit      players.Limit
		leaves     int // evaluated for one move
	}{
		{"random", "random", players.Limit{}, 0},
		{"uct:50", "uct:50", players.Limit{Simulations: 50}, 0},
		{"uct:1ms", "uct:1ms", players.Limit{Time: time.Millisecond}, 0},
		{"alphabeta:2", "alphabeta:2", players.Limit{}, 0},
		{"net:m", "net:m:33", players.Limit{Simulations: 33}, 33},
		{"net:m:7", "net:m:7", players.Limit{Simulations: 7}, 7},
		{"net:m:0", "net:m:0", players.Limit{}, 1},
		{"net:m:1ns", "net:m:1ns", players.Limit{Time: time.Nanosecond}, 1},
	} {
		factory := build(t, builder, c.text)
		if factory.Name != c.name || factory.Limit != c.limit {
			t.Errorf("%s is named %q with the limit %+v, want %q and %+v", c.text, factory.Name, factory.Limit, c.name, c.limit)
		}
		p, err := factory.New()
		if err != nil {
			t.Fatal(err)
		}
		leaves = 0
		start := gametest.Replay(t, connect4.Standard(), "")
		if moves := choose(t, p, []connect4.State{start}, []*rand.Rand{random.New(1, random.Test)}); moves[0] < 0 || moves[0] > 6 {
			t.Errorf("%s: action %d", c.text, moves[0])
		}
		if leaves != c.leaves {
			t.Errorf("%s: %d leaves evaluated for a move, want %d", c.text, leaves, c.leaves)
		}
		thinker, err := factory.Think(players.Options{Threads: 1, Batch: 1})
		if err != nil {
			t.Fatal(err)
		}
		leaves = 0
		if r, err := thinker.Think(t.Context(), factory.Limit, nil); err != nil || r.Best < 0 || r.Best > 6 || leaves != c.leaves {
			t.Errorf("%s: a thinker plays %d after %d leaves, error %v", c.text, r.Best, leaves, err)
		}
	}
	if want := []string{"m", "m", "m", "m"}; !slices.Equal(opened, want) {
		t.Errorf("paths opened: %q, want %q", opened, want)
	}
}

func TestBuildRefuses(t *testing.T) {
	broken := errors.New("broken")
	builder := players.Builder[connect4.State]{
		Game: connect4.Standard(), Batch: 1,
		Open: func(string) (players.Network[connect4.State], error) {
			return players.Network[connect4.State]{}, broken
		},
	}
	for _, c := range []struct {
		spec players.Spec
		want string
	}{
		{players.Spec{Kind: players.KindHuman}, `player "human": a human cannot play here`},
		{players.Spec{Kind: "oracle"}, `player "oracle": unknown kind`},
		{players.Spec{Kind: players.KindNet, Path: "m", Limit: 8}, `player "net:m:8": broken`},
	} {
		if _, err := builder.Build(c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}

	// What is missing when a player is made.
	builder.Open = func(string) (players.Network[connect4.State], error) {
		return players.Network[connect4.State]{Search: mcts.Default(), Evaluator: func() (mcts.Evaluator[connect4.State], error) { return nil, broken }}, nil
	}
	for text, want := range map[string]string{"net:m:8": `player "net:m:8": broken`, "solver": `player "solver": there is no solver`} {
		factory := build(t, builder, text)
		_, newErr := factory.New()
		_, thinkErr := factory.Think(players.Default())
		for _, err := range []error{newErr, thinkErr} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		}
	}
	if _, err := build(t, builder, "random").Think(players.Options{}); err == nil {
		t.Error("a thinker without threads is made")
	}
}
