package selfplay

import (
	"fmt"
	"hash/fnv"
	"runtime"
	"testing"

	"tengen/game/connect4"
	"tengen/mcts"
)

// If this fails, the same seed gives other games than before, and programs of both kinds must not play for one run. Raise
// Semantics and take over the new digests.
func TestSemantics(t *testing.T) {
	const semantics = 4
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors round differently")
	}
	g := connect4.Standard()
	proving := alphaZeroSearch()
	proving.ForcedNodes, proving.Simulations = 50, 20
	for _, test := range []struct {
		name     string
		cfg      Config
		searches []mcts.Config
		want     uint64
	}{
		{"everything", everything(), []mcts.Config{alphaZeroSearch(), proving}, 0xf2d5dc4da4b08ef},
		{"what is off draws no number", alphaZero(), []mcts.Config{alphaZeroSearch()}, 0x1ad552d81fdfd0c4},
	} {
		digest := fnv.New64a()
		for _, search := range test.searches {
			games, _ := generate(t, searchPool(g, test.cfg, search, 1, anyValue), 0, 20)
			for _, game := range games {
				fmt.Fprintln(digest, game.Moves, game.Opening, game.Outcome, game.Policy, game.Values,
					game.Simulations, game.Weights, game.Evaluations)
			}
		}
		if got := digest.Sum64(); got != test.want || Semantics != semantics {
			t.Errorf("%s: semantics %d has the digest %#x, want %#x for %d", test.name, Semantics, got, test.want, semantics)
		}
	}
}
