package engine

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"

	"tengen/cluster"
	"tengen/game/connect4"
	"tengen/internal/fulltest"
	"tengen/internal/kernel"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

// What a worker plays by each instruction set, a trainer repeats to the byte, whatever set it uses itself, with other goroutines and
// other games side by side; by another set it does not.
func TestReplayer(t *testing.T) {
	const seed, model = 99, 40
	games := fulltest.Pick[uint64](6, 12)
	defer kernel.Use(kernel.Name())
	cfg := DefaultConfig()
	cfg.Net.Blocks, cfg.Net.Channels, cfg.Net.PooledBlocks = 2, 16, 1
	cfg.Search.Simulations, cfg.Selfplay.GamesPerWorker, cfg.Selfplay.CacheMegabytes = 10, int(games)-1, 4
	e := typed[connect4.State]{game: connect4.Standard()}
	w := net.NewWeights(cfg.Net, net.ShapeOf(e.game), 1)
	settings := cluster.Settings{Game: e.game.Name(), Seed: 1, Shape: net.ShapeOf(e.game), Search: cfg.Search, Selfplay: cfg.Selfplay}
	collect := func(play func(finished func(*replay.Record) error) error) []byte {
		t.Helper()
		var mu sync.Mutex
		records := make([][]byte, games)
		err := play(func(g *replay.Record) error {
			mu.Lock()
			defer mu.Unlock()
			data, err := g.MarshalBinary()
			records[g.Number] = data
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return slices.Concat(records...)
	}
	played := map[string][]byte{}
	for _, set := range kernel.Names() {
		kernel.Use(set)
		worker, err := e.player(settings, seed, 2)
		if err != nil {
			t.Fatal(err)
		}
		numbers := make([]uint64, games)
		for i := range numbers {
			numbers[i] = uint64(i)
		}
		played[set] = collect(func(finished func(*replay.Record) error) error {
			_, err := worker.Play(t.Context(), model, w, selfplay.Numbers(numbers), finished)
			return err
		})
	}
	for _, used := range kernel.Names() {
		kernel.Use(used)
		for set := range played {
			r, err := e.replayer(set, settings, 3)
			if err != nil {
				t.Fatal(err)
			}
			got := collect(func(finished func(*replay.Record) error) error {
				return replayAll(t.Context(), r, model, w, games, seed, finished)
			})
			for other, theirs := range played {
				if bytes.Equal(got, theirs) != (set == other) {
					t.Errorf("by %s where %s is in use: equal to what was played by %s: %v", set, used, other, set != other)
				}
			}
		}
	}
}

func replayAll(
	ctx context.Context, r cluster.Replayer, model uint64, w *net.Weights, games, seed uint64, finished func(*replay.Record) error,
) error {
	var list []selfplay.ID
	for number := games; number > 0; number-- {
		list = append(list, selfplay.ID{Seed: seed, Number: number - 1})
	}
	_, err := r.Replay(ctx, model, w, list, finished)
	return err
}
