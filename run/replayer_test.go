package run

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"tengen/engine"
	"tengen/game/connect4"
	"tengen/internal/kernel"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/selfplay/cluster"
)

// Workers play the trainer's games to the byte on every instruction set with the same arithmetic. The number of goroutines
// and the order of the games make no difference, another arithmetic does.
func TestWorkersRepeatTheTrainer(t *testing.T) {
	const games, model = 12, 40
	defer kernel.Use(kernel.Name())
	cfg := DefaultConfig()
	cfg.Net.Blocks, cfg.Net.Channels, cfg.Net.PooledBlocks = 2, 12, 1
	cfg.Search.Simulations, cfg.Selfplay.GamesPerWorker, cfg.Selfplay.CacheMegabytes = 10, 11, 4
	e := engine.Typed[connect4.State]{Rules: connect4.Standard()}
	w := net.NewWeights(cfg.Net, net.ShapeOf(e.Rules), 1)
	play := func(p selfplay.Player, order []uint64) []byte {
		t.Helper()
		var mu sync.Mutex
		records := make([][]byte, games)
		_, err := p.Play(t.Context(), model, w, selfplay.Numbers(order), replay.SinkFunc(func(_ string, g *replay.Record) error {
			mu.Lock()
			defer mu.Unlock()
			data, err := g.MarshalBinary()
			records[g.Number] = data
			return err
		}))
		noError(t, err)
		return slices.Concat(records...)
	}
	numbers := make([]uint64, games)
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	played := map[string][]byte{}
	for _, set := range kernel.Names() {
		kernel.Use(set)
		played[net.Arithmetic()] = play(e.SelfPlay(cfg.Selfplay, cfg.Search, cfg.Seed), numbers)
	}
	slices.Reverse(numbers)
	for _, set := range kernel.Names() {
		kernel.Use(set)
		p, err := playerFor(e, cluster.Settings{
			Game: e.Rules.Name(), Seed: cfg.Seed, Shape: net.ShapeOf(e.Rules), Search: cfg.Search, Selfplay: cfg.Selfplay,
		}, 3, nil)
		noError(t, err)
		got := play(p, numbers)
		for arithmetic, want := range played {
			if bytes.Equal(got, want) != (arithmetic == net.Arithmetic()) {
				t.Errorf("%s: equal to what %s plays: %v", set, arithmetic, arithmetic != net.Arithmetic())
			}
		}
	}
}
