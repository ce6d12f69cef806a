package engine

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/errtest"
	"tengen/mcts"
	"tengen/net"
	"tengen/players/playertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, name string) Game {
	t.Helper()
	e, err := Open(name)
	noError(t, err)
	return e
}

var noError, spec = errtest.NoError, playertest.Spec

// wantError checks for a part of an error, and whether it is an InputError.
func wantError(t testing.TB, err error, part string, input bool) {
	t.Helper()
	errtest.Want(t, err, part)
	if errors.As(err, new(InputError)) != input {
		t.Errorf("error %q is an InputError: %v, want %v", err, !input, input)
	}
}

func player(t testing.TB, e Game, text string) Player {
	t.Helper()
	p, err := e.Player(spec(t, text), PlayerOptions{})
	noError(t, err)
	return p
}

// tinyModel returns the file of an untrained model for tic-tac-toe.
func tinyModel(t testing.TB) string { return modelOf(t, mnk.TicTacToe()) }

// trained returns the search constants in modelOf's models.
func trained() mcts.Config {
	c := mcts.Default()
	c.Simulations, c.ForcedNodes = 8, 0
	return c
}

// modelOf returns the file of an untrained model.
func modelOf[S game.State[S]](t testing.TB, g game.Game[S]) string {
	t.Helper()
	search, err := json.Marshal(trained())
	noError(t, err)
	c := net.Config{Blocks: 1, Channels: 3, PolicyHead: net.HeadDense, PolicyChannels: 2, ValueHead: net.HeadDense, ValueChannels: 2, ValueHidden: 4}
	m := net.Model{Game: g.Name(), Iteration: 2, Search: search, Weights: net.NewWeights(c, net.ShapeOf(g), 1)}
	file := filepath.Join(t.TempDir(), "model.safetensors")
	noError(t, m.Save(file))
	return file
}

// parsePosition parses a board or moves.
func parsePosition(e Game, text string) (Position, error) {
	if game.IsBoard(text) {
		return e.ParseBoard(text)
	}
	return e.Parse(text)
}

// ask returns the question about a position in text.
func ask(e Game, text string) Question {
	p, err := parsePosition(e, text)
	return Question{p, err}
}
