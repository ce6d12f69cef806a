package positions

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/engine"
	"tengen/game"
	"tengen/net"
	"tengen/players"
	"tengen/players/playertest"
	"tengen/run/runtest"
)

// A tree is found by the position it is at, one or two moves before it.
func TestTrees(t *testing.T) {
	moves := func(list ...game.Action) []game.Action { return list }
	s := newServer(t, nil)
	e, err := engine.Open("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	think := func(spec players.Spec, list ...game.Action) *tool {
		p, err := e.Replay(list)
		if err != nil {
			t.Fatal(err)
		}
		th, err := s.thinker(question{engine: e, position: p, player: player{spec: spec}})
		if err != nil {
			t.Fatal(err)
		}
		return th
	}
	a, b := players.Spec{Kind: players.KindUCT}, players.Spec{Kind: players.KindRandom}
	start, one := think(a), think(a, 1)
	if start == one {
		t.Fatal("a tree in use is taken")
	}
	s.pool.put(start, true)
	s.pool.put(one, true)
	if think(b, 1) == one {
		t.Error("it is another player's")
	}
	if think(a, 1, 2, 3) != one || !slices.Equal(one.moves, moves(1, 2, 3)) {
		t.Error("the nearest is not taken")
	}
	s.pool.put(one, true)
	if think(a, 1, 2, 3, 4, 5, 6) == one {
		t.Error("one three moves away is taken")
	}
	if think(a, 4, 5) != start {
		t.Error("one two moves before is not taken")
	}
	if s.pool.put(start, false); slices.Contains(s.pool.tools, start) {
		t.Error("one whose search has failed is kept")
	}
}

// What is not in use makes room, the least recently used first; a network stays as long as a tree asks it.
func TestPoolMakesRoom(t *testing.T) {
	p := newPool(1)
	p.limit = 100
	network := p.add(&tool{key: "network", megabytes: 40, network: fakeNetwork{}})
	tree := p.add(&tool{key: "tree", megabytes: 40, asks: network})
	want := func(what string, want ...*tool) {
		t.Helper()
		if !slices.Equal(p.tools, want) {
			t.Errorf("%s: %d tools are kept, want %d", what, len(p.tools), len(want))
		}
	}
	p.put(network, true)
	solver := p.add(&tool{key: "solver", megabytes: 100})
	want("all are in use", tree, network, solver)
	p.put(tree, true)
	want("the tree is free, and with it the network", solver)
	small := p.add(&tool{key: "small", megabytes: 1})
	p.put(solver, true)
	want("the solver is free", small)
	if p.take("network", nil) != nil || p.take("small", nil) != nil {
		t.Error("a tool is taken that is gone, or in use")
	}
}

type fakeNetwork struct{ engine.Network }

// countModels counts how often a model is opened from now on.
func countModels(t *testing.T) *int {
	opened := new(int)
	engine.RegisterModels(func(name string) (*net.Model, error) {
		*opened++
		if content, err := engine.ReadPretrained(name); err == nil {
			m := new(net.Model)
			return m, m.UnmarshalBinary(content)
		}
		return net.LoadModel(name)
	})
	t.Cleanup(func() { engine.RegisterModels(nil) })
	return opened
}

// An analysis opens the model of its player, and no other, and lists no run. Asking a run's models in turn, as the page
// about a position over the iterations does, opens each once.
func TestAnalysisOpensOneModel(t *testing.T) {
	page, err := os.ReadFile("../assets/past.js")
	most := regexp.MustCompile(`MOST_MODELS = (\d+);`).FindSubmatch(page)
	if err != nil || most == nil {
		t.Fatal("past.js does not say how many models it asks:", err)
	}
	asked, _ := strconv.Atoi(string(most[1]))
	s := newServer(t, nil)
	runs, listed := tinyRun(t)
	s.Runs, s.pool.limit = runs, (1+asked)*players.TreeMegabytes
	opened := countModels(t)
	analyze := func(query string) {
		if w := ask(t.Context(), s, "/api/analysis?"+query); !strings.Contains(w.Body.String(), "event: done") {
			t.Errorf("%s: %s", query, w.Body)
		}
	}
	for range 3 {
		for _, name := range []string{"tiny@1", "tiny@0", "tiny"} {
			analyze("game=tictactoe&simulations=0&player=" + name)
		}
	}
	if *opened != 3 || *listed != 0 {
		t.Errorf("nine analyses by three models open %d, and list the runs %d times", *opened, *listed)
	}
	if analyze("game=tictactoe&player=tiny@1&moves=a1"); *opened != 4 {
		t.Errorf("a search opens the model that has been asked without one %d times", *opened-3)
	}
}

// An analysis that waits for its turn opens no model.
func TestNothingIsOpenedBeforeItsTurn(t *testing.T) {
	s := newServer(t, nil)
	s.Runs, _ = tinyRun(t)
	leave, err := s.pool.enter(t.Context(), "other", time.Second, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	opened := countModels(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel() // ends the wait
	if w := ask(gone, s, "/api/analysis?game=tictactoe&player=tiny"); *opened > 0 || strings.Contains(w.Body.String(), "event: done") {
		t.Errorf("%d models are opened: %s", *opened, w.Body)
	}
}

// A player that cannot play says why, and not where its model is.
func TestNetworkOfAnotherGame(t *testing.T) {
	s := newServer(t, nil)
	s.Runs, _ = tinyRun(t)
	text := ask(t.Context(), s, "/api/analysis?game=connect4&player=tiny").Body.String()
	if !strings.Contains(text, "event: error") || !strings.Contains(text, `"error":"tiny: the model plays tictactoe, not connect4: `) ||
		strings.Contains(text, "model-") {
		t.Error(text)
	}
}

// countingEngine counts the models that are read.
type countingEngine struct {
	engine.Game
	read int
}

// Network implements engine.Game.
func (e *countingEngine) Network(m *net.Model, o engine.PlayerOptions) (engine.Network, error) {
	e.read++
	return e.Game.Network(m, o)
}

// What is known of models is remembered: to list the players of a game again, reads none.
func TestModelsAreReadOnce(t *testing.T) {
	s := newServer(t, nil)
	s.Runs, _ = tinyRun(t)
	for _, game := range []string{"connect4", "tictactoe", "mnk:9,9,5"} {
		e, err := engine.Open(game)
		if err != nil {
			t.Fatal(err)
		}
		counted := &countingEngine{Game: e}
		s.players(t.Context(), counted)
		first := counted.read
		if s.players(t.Context(), counted); first == 0 || counted.read > first {
			t.Errorf("to list the players of %s reads %d models, and again %d", game, first, counted.read-first)
		}
	}
}

// The models given for players are read when the server starts, and not for every list of games.
func TestGivenModelsAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(runtest.Run(t))); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, func(o *Options) { o.Players = []players.Spec{playertest.Spec(t, "net:"+dir)} })
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if games := s.Games(t.Context()).Games; games[0].Name != "tictactoe" {
		t.Errorf("the first game is %s", games[0].Name)
	}
}
