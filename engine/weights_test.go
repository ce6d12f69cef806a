package engine

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	igo "tengen/game/go"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
)

// asked is what an evaluator says of a position as a root, or as a leaf.
func asked(t *testing.T, ev mcts.Evaluator[connect4.State], s connect4.State) (prior []float32, value float32) {
	t.Helper()
	prior, values := make([]float32, 7), make([]float32, 1)
	if err := ev.Evaluate([]connect4.State{s}, [][]float32{prior}, values); err != nil {
		t.Fatal(err)
	}
	return prior, values[0]
}

func evaluator(t *testing.T, g *connect4.Game, w *net.Weights, search mcts.Config, megabytes int) mcts.Evaluator[connect4.State] {
	t.Helper()
	ev, err := searched(g, net.NewServer(nil, w, 4), search, 4, megabytes).Evaluator()
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

// A player thinks the same of a position and of its mirror image when it is asked about them. What it thinks of leaves, and
// finds in the cache, is about the position alone.
func TestRootSymmetries(t *testing.T) {
	g := connect4.Standard()
	w := net.NewWeights(net.Config{Blocks: 1, Channels: 4, PolicyHead: net.HeadDense, PolicyChannels: 2, ValueHead: net.HeadDense, ValueChannels: 1, ValueHidden: 4}, net.ShapeOf(g), 1)
	position, mirrored := g.Start().Play(1).Play(1).Play(4), g.Start().Play(5).Play(5).Play(2)
	plain, plainValue := asked(t, evaluator(t, g, w, mcts.Default(), 0), position)
	ev := evaluator(t, g, w, mcts.Default(), 1)
	prior, value := asked(t, mcts.Roots(ev), position)
	image, imageValue := asked(t, mcts.Roots(ev), mirrored)
	slices.Reverse(image)
	differ := math.Abs(float64(value - imageValue))
	for a := range prior {
		differ = max(differ, math.Abs(float64(prior[a]-image[a])))
	}
	if differ > 1e-6 || slices.Equal(prior, plain) {
		t.Errorf("as roots, a position and its mirror image differ by %v: %v", differ, prior)
	}
	for range 2 { // the second time from the cache
		if prior, value := asked(t, ev, position); !slices.Equal(prior, plain) || value != plainValue {
			t.Errorf("as a leaf the position has %v, %v, want %v, %v", prior, value, plain, plainValue)
		}
	}
}

// A model plays with the search constants that this program knows, whatever else another version has written.
func TestSearchOfAnotherVersion(t *testing.T) {
	search, err := TrainedSearch(&net.Model{Search: []byte(`{"gone": 7, "simulations": 9, "c_init": 2, "root_policy_temperature": 1}`)})
	if err != nil || search.Simulations != 9 || search.CInit != 2 {
		t.Errorf("%+v, %v", search, err)
	}
	if _, err := TrainedSearch(&net.Model{Search: []byte(`{"simulations": "9"}`)}); err == nil {
		t.Error("a text was read as a number")
	}
}

// An explained thought says who will hold the cells of the position, where the result counts them. It follows the game.
func TestOwners(t *testing.T) {
	goban, err := igo.New(game.Size{Columns: 4, Rows: 4}, 0)
	noError(t, err)
	checkOwners(t, goban, "d2", true)
	checkOwners(t, connect4.Standard(), "4", false)
}

func checkOwners[S game.State[S]](t *testing.T, g game.Game[S], move string, known bool) {
	w := net.NewWeights(net.Default(), net.ShapeOf(g), 1)
	e := Typed[S]{Rules: g}
	search, err := json.Marshal(trained())
	noError(t, err)
	n, err := e.Network(&net.Model{Game: g.Name(), Search: search, Weights: w}, PlayerOptions{})
	noError(t, err)
	p, err := e.Player(spec(t, "net:x:4"), PlayerOptions{Network: n})
	noError(t, err)
	th, err := e.Think(p, players.Default())
	noError(t, err)
	for _, text := range []string{"", move} {
		position, err := parsePosition(e, text)
		noError(t, err)
		th.Set(position)
		r, err := th.Explain(t.Context(), players.Limit{Simulations: 4}, nil, nil)
		noError(t, err)
		var want []float32
		if known {
			want = net.NewOwners(g, w).Guess(e.state(position))
		}
		if !slices.Equal(r.Owners, want) {
			t.Errorf("%s, %q: %v, want %v", g.Name(), text, r.Owners, want)
		}
	}
}
