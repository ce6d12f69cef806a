package selfplay

import (
	"fmt"
	"hash/fnv"
	"runtime"
	"testing"

	"tengen/game/connect4"
	"tengen/mcts"
)

// If this fails, the same seed gives other games than before, and programs of both kinds must not play for one run: raise
// Semantics, and take over the new digest.
func TestSemantics(t *testing.T) {
	const semantics, want = 2, 0x2c1614e5526997c0
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors round differently")
	}
	g := connect4.Standard()
	gumbel, proving := mcts.Default(), mcts.Default()
	gumbel.Root, proving.ForcedNodes = "gumbel", 50
	digest := fnv.New64a()
	for _, search := range []mcts.Config{mcts.Default(), gumbel, proving} {
		games, _ := generate(t, searchPool(g, everything(), search, 1, anyValue), 0, 20)
		for _, game := range games {
			fmt.Fprintln(digest, game.Moves, game.Opening, game.Outcome, game.Policy, game.Values, game.Simulations, game.Weights, game.Resigned, game.Evaluations)
		}
	}
	if got := digest.Sum64(); got != want || Semantics != semantics {
		t.Errorf("semantics %d has the digest %#x, want %#x for %d", Semantics, got, uint64(want), semantics)
	}
}
