package positions

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"tengen/mcts"
	"tengen/net"
	"tengen/players"
)

// The list of players says which komi a model knows, if the game has another.
func TestKomiIsNoted(t *testing.T) {
	search, err := json.Marshal(mcts.Default())
	if err != nil {
		t.Fatal(err)
	}
	cfg := net.Default()
	cfg.PolicyHead, cfg.ValueHead = net.HeadConv, net.HeadPooled
	m := net.Model{Game: "go:5,4", Search: search, Weights: net.NewWeights(cfg, net.Shape{Height: 5, Width: 5, Actions: 26, Planes: 5, Named: 1}, 1)}
	path := filepath.Join(t.TempDir(), "model")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, func(o *Options) {
		o.Players = []players.Spec{{Kind: players.KindNet, Path: path, Limit: players.Unset}}
	})
	for game, note := range map[string]string{
		"go:5,4": `given by --player"`,
		"go:5,3": `given by --player; it knows komi 4 on this board, not 3, so its values are wrong by the difference"`,
	} {
		if got := ask(t.Context(), s, "/api/players?game="+game).Body.String(); !strings.Contains(got, note) {
			t.Errorf("%s: %s, want %s", game, got, note)
		}
	}
}
