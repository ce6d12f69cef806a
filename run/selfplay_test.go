package run

import (
	"reflect"
	"runtime"
	"testing"

	"tengen/engine"
	"tengen/game/mnk"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

// Games depend on the weights of the call, not on earlier ones.
func TestGeneratorTakesUpWeights(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Net.Blocks, cfg.Net.Channels = 1, 8
	cfg.Search.Simulations, cfg.Selfplay.Workers, cfg.Selfplay.GamesPerWorker = 8, 2, 4
	b := typedGame[mnk.State]{engine.Typed[mnk.State]{Rules: mnk.TicTacToe()}}
	first := net.NewWeights(cfg.Net, net.ShapeOf(b.Rules), 1)
	second := net.NewWeights(cfg.Net, net.ShapeOf(b.Rules), 2)
	games := func(g generator, model uint64, w *net.Weights) []*replay.Record {
		t.Helper()
		games := make([]*replay.Record, 4)
		_, err := g.Play(t.Context(), model, w, selfplay.Numbers([]uint64{0, 1, 2, 3}), func(g *replay.Record) error {
			games[g.Number] = g
			return nil
		})
		noError(t, err)
		return games
	}
	g := b.generator(cfg)
	byFirst := games(g, 1, first)
	bySecond := games(g, 2, second)
	for i := range bySecond {
		bySecond[i].Model = 1 // to compare the rest
	}
	if reflect.DeepEqual(byFirst, bySecond) {
		t.Error("other weights play the same games")
	}
	if !reflect.DeepEqual(games(b.generator(cfg), 1, second), bySecond) {
		t.Error("the games depend on the weights that the generator was made with")
	}
}

func TestGeneratorWorkers(t *testing.T) {
	b := typedGame[mnk.State]{engine.Typed[mnk.State]{Rules: mnk.TicTacToe()}}
	for workers, want := range map[int]int{0: runtime.GOMAXPROCS(0), 1: 1, 3: 3} {
		cfg := tinyConfig(t)
		cfg.Selfplay.Workers, cfg.Selfplay.GamesPerWorker = workers, 5
		g := b.generator(cfg).(*typedGenerator[mnk.State])
		if g.load(net.NewWeights(cfg.Net, net.ShapeOf(b.Rules), 1)); len(g.evaluators) != want || g.ParallelGames() != 5*want {
			t.Errorf("selfplay.workers %d: %d evaluators, %d parallel", workers, len(g.evaluators), g.ParallelGames())
		}
	}
}
