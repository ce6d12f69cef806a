package netplayer

import (
	"reflect"
	"runtime"
	"testing"

	"tengen/game/mnk"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

func testWeights(seed uint64) *net.Weights {
	cfg := net.Default()
	cfg.Blocks, cfg.Channels = 1, 8
	return net.NewWeights(cfg, net.ShapeOf(mnk.TicTacToe()), seed)
}

// testPlayer plays tic-tac-toe with short searches.
func testPlayer(c selfplay.Config) *Player {
	search := mcts.Default()
	search.Simulations = 8
	return New(mnk.TicTacToe(), c, search, 1)
}

// Games depend on the weights of the call, not on earlier ones.
func TestPlayerTakesUpWeights(t *testing.T) {
	cfg := selfplay.Default()
	cfg.Workers, cfg.GamesPerWorker = 2, 4
	first, second := testWeights(1), testWeights(2)
	games := func(p *Player, model uint64, w *net.Weights) []*replay.Record {
		t.Helper()
		games := make([]*replay.Record, 4)
		_, err := p.Play(t.Context(), model, w, selfplay.Numbers([]uint64{0, 1, 2, 3}), replay.SinkFunc(func(_ string, g *replay.Record) error {
			games[g.Number] = g
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		return games
	}
	p := testPlayer(cfg)
	byFirst := games(p, 1, first)
	bySecond := games(p, 2, second)
	for i := range bySecond {
		bySecond[i].Model = 1 // to compare the rest
	}
	if reflect.DeepEqual(byFirst, bySecond) {
		t.Error("other weights play the same games")
	}
	if !reflect.DeepEqual(games(testPlayer(cfg), 1, second), bySecond) {
		t.Error("the games depend on the weights that the player was made with")
	}
}

func TestPlayerWorkers(t *testing.T) {
	for workers, want := range map[int]int{0: runtime.GOMAXPROCS(0), 1: 1, 3: 3} {
		cfg := selfplay.Default()
		cfg.Workers, cfg.GamesPerWorker = workers, 5
		p := testPlayer(cfg)
		if n, games := p.Lockstep(); n != want || games != 5 || p.ParallelGames() != 5*want {
			t.Errorf("selfplay.workers %d: %d with %d games each, %d parallel", workers, n, games, p.ParallelGames())
		}
	}
}
