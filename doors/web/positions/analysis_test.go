package positions

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/game"
	"tengen/net"
	"tengen/players"
	"tengen/players/playertest"
	"tengen/run/runtest"
)

// A tree is found by the position it is at, one or two moves before it.
func TestTrees(t *testing.T) {
	s := newServer(t, nil)
	e, err := engine.Open("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(spec players.Spec, list ...game.Action) question {
		p, err := e.Replay(list)
		if err != nil {
			t.Fatal(err)
		}
		return question{engine: e, position: p, player: player{spec: spec}}
	}
	think := func(spec players.Spec, list ...game.Action) engine.Thinker {
		th, err := s.thinker(ask(spec, list...))
		if err != nil {
			t.Fatal(err)
		}
		return th
	}
	put := func(th engine.Thinker, spec players.Spec, list ...game.Action) {
		s.thinkers.put(ask(spec, list...).label(list), th)
	}
	a, b := players.Spec{Kind: players.KindUCT}, players.Spec{Kind: players.KindRandom}
	type marked struct{ engine.Thinker }
	start, one := &marked{think(a)}, &marked{think(a, 1)}
	put(start, a)
	put(one, a, 1)
	if think(b, 1) == engine.Thinker(one) {
		t.Error("it is another player's")
	}
	if think(a, 1, 2, 3) != one {
		t.Error("the nearest is not taken")
	}
	put(one, a, 1, 2, 3)
	if think(a, 1, 2, 3, 4, 5, 6) == one {
		t.Error("one three moves away is taken")
	}
	if think(a, 4, 5) != start {
		t.Error("one two moves before is not taken")
	}
}

// The least recently used makes room.
func TestShelfMakesRoom(t *testing.T) {
	s := shelf[int]{spares: 5}
	for i := range s.spares {
		s.put(strconv.Itoa(i), i)
	}
	first, _ := s.take("0")
	s.put("0", first)
	s.put("new", -1)
	if _, ok := s.take("1"); ok {
		t.Error("the oldest is kept")
	}
	if found, ok := s.take("0"); !ok || found != 0 {
		t.Error("what has been used is gone")
	}
	if _, ok := s.take("0"); ok {
		t.Error("one in use is taken")
	}
}

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
	}, nil)
	t.Cleanup(func() { engine.RegisterModels(nil, nil) })
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
	if asked, _ := strconv.Atoi(string(most[1])); asked > DefaultMemory.Networks {
		t.Errorf("the page asks %d models in turn, and %d stay open", asked, DefaultMemory.Networks)
	}
	s := newServer(t, nil)
	runs, listed := tinyRun(t)
	s.Runs = runs
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
}

// An analysis that waits for its turn opens no model.
func TestNothingIsOpenedBeforeItsTurn(t *testing.T) {
	s := newServer(t, nil)
	s.Runs, _ = tinyRun(t)
	leave, err := s.searches.enter(t.Context(), "other", nil)
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
