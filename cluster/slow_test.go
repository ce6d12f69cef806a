package cluster

import (
	"context"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/cluster/modelcache"
	"tengen/cluster/natslog"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/internal/slowlink"
	tnet "tengen/net"
	"tengen/replay"
	"tengen/train"
)

// Ten minutes of models of 5 MB for two hosts with 1 Mbit/s and 400 ms in each direction are
//
//	go test ./cluster -run TestSlowHosts -v -timeout 30m -args -slow 10m
var slow = flag.Duration("slow", 0, "how long workers on lines of 1 Mbit/s play for a run; 0: some seconds on faster ones")

// heavyWeights are weights of a model of some bytes.
func heavyWeights(iteration uint64, bytes int) *tnet.Weights {
	channels := 1
	for 4*9*2*channels*channels < bytes {
		channels++
	}
	cfg := tnet.Config{Blocks: 1, Channels: channels, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 2}
	return tnet.NewWeights(cfg, tnet.ShapeOf(mnk.TicTacToe()), iteration)
}

// lightPlayer plays with a small network, whatever the model.
type lightPlayer struct{ poolPlayer }

func openLightPlayer(s Settings, seed uint64) (Player, error) {
	player, err := openPlayer(s, seed)
	return lightPlayer{player.(poolPlayer)}, err
}

func (p lightPlayer) Play(
	ctx context.Context, model uint64, _ *tnet.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	return p.pool.Play(ctx, model, next, finished)
}

// Two hosts on slow lines play for a run, the first with two workers. Models that take longer than iterations arrive, none twice at a host,
// and the run gets its games.
func TestSlowHosts(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	size, games := 1_500_000, 50
	link := slowlink.Proxy{Rate: 500_000, Delay: 50 * time.Millisecond}
	if *slow > 0 {
		size, games = 5_000_000, 200
		link = slowlink.Proxy{Rate: 125_000, Delay: 400 * time.Millisecond}
	}
	s := startServer(t, natslog.ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
	c := startCoordinator(t, connect(t, s), CoordinatorConfig{MaxModelAge: 2, MaxBacklog: 1})
	var hosts []*slowlink.Proxy
	var workers []*Worker
	for _, n := range []int{2, 1} {
		line := &slowlink.Proxy{Target: slowlink.To(strings.TrimPrefix(s.URL(), "nats://")), Rate: link.Rate, Delay: link.Delay}
		if err := line.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { line.Close() })
		hosts = append(hosts, line)
		dir := t.TempDir()
		for i := range n {
			cfg := workerConfig(filepath.Join(dir, string(rune('a'+i))))
			cfg.Report = func(err error) { t.Log(err) }
			var err error
			if cfg.Models, err = modelcache.Open(filepath.Join(dir, "models"), modelcache.DefaultLimit, cfg.Report); err != nil {
				t.Fatal(err)
			}
			cfg.Open = openLightPlayer
			w, _ := startWorker(t, dial(t, "nats://"+line.Addr(), cfg), cfg)
			workers = append(workers, w)
		}
	}
	begin, cursor := time.Now(), uint64(0)
	models := 0
	first := func(w *Worker) bool { return w.Progress().Model == 0 }
	for ; slices.ContainsFunc(workers, first) || time.Since(begin) < *slow; models++ {
		batch, err := c.Next(t.Context(), train.Request{
			Model: uint64(models), Weights: heavyWeights(uint64(models), size), After: cursor, Games: games, Progress: func(int) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		cursor = batch.Cursor
	}
	took := time.Since(begin)
	for i, host := range hosts {
		up, down := host.Passed()
		t.Logf("host %d: %.1f MB down, %.1f MB up, for %d models of %.1f MB, in %v", i, float64(down)/1e6, float64(up)/1e6, models, float64(size)/1e6, took)
		// Besides the models there are acknowledgements, orders and what was on its way for a model that was given up.
		if most := int64(models)*int64(size)*5/4 + 500_000; down > most {
			t.Errorf("host %d: %d bytes came for %d models of %d, want at most %d", i, down, models, size, most)
		}
	}
	for _, w := range workers {
		p := w.Progress()
		t.Logf("%+v", p)
		if p.Games == 0 {
			t.Errorf("%s has played no game", p.Worker)
		}
	}
	t.Logf("%d iterations of %d games, %d refused, reports: %d", models, games, c.Refused(), len(c.reports))
	checkOnce(t, c.log, nil)
}
