package engine

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens the engine of a game.
func open(t testing.TB, name string) Game {
	t.Helper()
	e, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// spec reads the SPEC of a player.
func spec(t testing.TB, text string) players.Spec {
	t.Helper()
	s, err := players.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wantError checks what an error says, and whether it is one of what was asked for.
func wantError(t testing.TB, err error, part string, input bool) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want one that says %q", err, part)
	} else if errors.As(err, new(InputError)) != input {
		t.Errorf("error %q is an InputError: %v, want %v", err, !input, input)
	}
}

// player makes the player of a SPEC.
func player(t testing.TB, e Game, text string) Player {
	t.Helper()
	p, err := e.Player(spec(t, text), PlayerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tinyModel is the file of a model of tic-tac-toe that has learned nothing.
func tinyModel(t testing.TB) string { return modelOf(t, mnk.TicTacToe()) }

// trained is the search of modelOf's models.
func trained() mcts.Config {
	c := mcts.Default()
	c.Simulations, c.ForcedNodes, c.RootSymmetries = 8, 0, 1
	return c
}

// modelOf is the file of a model that has learned nothing.
func modelOf[S game.State[S]](t testing.TB, g game.Game[S]) string {
	t.Helper()
	search, err := json.Marshal(trained())
	if err != nil {
		t.Fatal(err)
	}
	shape := net.ShapeOf(g)
	m := net.Model{Game: g.Name(), Iteration: 2, Search: search, Weights: net.NewWeights(net.Config{Blocks: 1, Channels: 3, PolicyHead: net.HeadDense, PolicyChannels: 2, ValueHead: net.HeadDense, ValueChannels: 2, ValueHidden: 4}, shape, 1)}
	content, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
