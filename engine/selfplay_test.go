package engine

import (
	"reflect"
	"runtime"
	"sync"
	"testing"

	"tengen/cluster"
	"tengen/game/mnk"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

// Self-play is with the weights it is given, not with those it was made with.
func TestGeneratorTakesUpWeights(t *testing.T) {
	cfg := PlainConfig()
	cfg.Net.Blocks, cfg.Net.Channels = 1, 8
	cfg.Search.Simulations, cfg.Selfplay.Workers, cfg.Selfplay.GamesPerWorker = 8, 2, 4
	b := typed[mnk.State]{game: mnk.TicTacToe()}
	first := net.NewWeights(cfg.Net, net.ShapeOf(b.game), 1)
	second := net.NewWeights(cfg.Net, net.ShapeOf(b.game), 2)
	games := func(g *generator[mnk.State], model uint64, w *net.Weights) []*replay.Record {
		t.Helper()
		games := make([]*replay.Record, 4)
		_, err := g.Generate(t.Context(), model, w, []uint64{0, 1, 2, 3}, func(g *replay.Record) error {
			games[g.Number] = g
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return games
	}
	g := b.newGenerator(cfg, first)
	byFirst := games(g, 1, first)
	bySecond := games(g, 2, second)
	for i := range bySecond {
		bySecond[i].Model = 1 // to compare the rest
	}
	if reflect.DeepEqual(byFirst, bySecond) {
		t.Error("other weights play the same games")
	}
	if !reflect.DeepEqual(games(b.newGenerator(cfg, first), 1, second), bySecond) {
		t.Error("the games depend on the weights that the generator was made with")
	}
}

// The goroutines of a worker's player may play with different models at the same time, and play the games that all play together.
func TestPartsPlayTheSameGames(t *testing.T) {
	cfg := PlainConfig()
	cfg.Net.Blocks, cfg.Net.Channels = 1, 8
	cfg.Search.Simulations, cfg.Selfplay.GamesPerWorker = 8, 4
	b := typed[mnk.State]{game: mnk.TicTacToe()}
	shape := net.ShapeOf(b.game)
	open := func() *workerPlayer[mnk.State] {
		p, err := b.playerOn("", cluster.Settings{Game: b.game.Name(), Shape: shape, Search: cfg.Search, Selfplay: cfg.Selfplay}, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	play := func(p cluster.Player, model uint64) []*replay.Record {
		games := make([]*replay.Record, 6)
		finished := func(g *replay.Record) error {
			games[g.Number] = g
			return nil
		}
		_, err := p.Play(t.Context(), model, net.NewWeights(cfg.Net, shape, model), selfplay.Numbers([]uint64{0, 1, 2, 3, 4, 5}), finished)
		if err != nil {
			t.Error(err)
		}
		return games
	}
	parts := open().Parts()
	if len(parts) != 2 || parts[0].Seats() != 4 {
		t.Fatalf("the player has %d parts", len(parts))
	}
	var playing sync.WaitGroup
	var got [2][]*replay.Record
	for i, part := range parts {
		playing.Go(func() { got[i] = play(part, uint64(i+1)) })
	}
	playing.Wait()
	whole := open()
	for i := range got {
		if !reflect.DeepEqual(got[i], play(whole, uint64(i+1))) {
			t.Errorf("with model %d a part plays other games than the whole", i+1)
		}
	}
}

func TestGeneratorWorkers(t *testing.T) {
	b := typed[mnk.State]{game: mnk.TicTacToe()}
	for workers, want := range map[int]int{0: runtime.GOMAXPROCS(0), 1: 1, 3: 3} {
		cfg := tinyConfig()
		cfg.Selfplay.Workers, cfg.Selfplay.GamesPerWorker = workers, 5
		g := b.newGenerator(cfg, net.NewWeights(cfg.Net, net.ShapeOf(b.game), 1))
		if len(g.evaluators) != want || g.slots(cfg) != 5*want {
			t.Errorf("selfplay.workers %d: %d evaluators, %d seats", workers, len(g.evaluators), g.slots(cfg))
		}
	}
}
