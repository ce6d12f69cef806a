// Package netplayer plays self-play games with networks on this machine, on its processor or a graphics card.
package netplayer

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

const (
	deviceGames    = 256 // what selfplay.games_per_worker 0 means with a device
	deviceNetworks = 2   // on a device, shared by the evaluators: while one computes, the other collects positions
	deviceBatch    = 512 // positions that each of them computes at once, at least
)

// Player is a selfplay.Player. All weights must have one architecture. It is not safe for concurrent use.
type Player struct {
	cfg     selfplay.Config
	device  *net.Device // nil: this processor, also after a device had no room
	servers []*net.Server
	onCard  bool // the servers are on the device
	newPool func(selfplay.Config, []*net.Server) pool
	pool    pool // nil before the first games
}

// pool is selfplay.Pool.Play.
type pool func(ctx context.Context, model uint64, next func() (uint64, bool), finished func(*replay.Record) error) (replay.Stats, error)

// New returns a player that computes on this processor.
func New[S game.State[S]](g game.Game[S], c selfplay.Config, search mcts.Config, seed uint64) *Player {
	return &Player{cfg: c, newPool: func(c selfplay.Config, servers []*net.Server) pool {
		var evaluators []mcts.Evaluator[S]
		for i := range c.Workers {
			if len(servers) == 0 {
				evaluators = append(evaluators, &mcts.Uniform[S]{})
			} else {
				evaluators = append(evaluators, net.NewEvaluatorOf[S](servers[i%len(servers)], c.GamesPerWorker))
			}
		}
		return selfplay.NewPool(g, c, search, seed, evaluators).Play
	}}
}

// Use lets a device compute in place of the processor, unless d is nil. The player may have played before, as a resumed
// run does that has lost games.
func (p *Player) Use(d *net.Device) {
	if d != nil {
		p.reset()
		p.device = d
	}
}

// playing reports whether the device evaluates the next games.
func (p *Player) playing() bool { return p.device != nil && p.device.Lost() == nil }

// Lockstep returns the number of goroutines and of the games that each plays at once.
func (p *Player) Lockstep() (workers, games int) {
	if p.playing() {
		return cmp.Or(p.cfg.Workers, 2*runtime.GOMAXPROCS(0)), cmp.Or(p.cfg.GamesPerWorker, deviceGames)
	}
	return cmp.Or(p.cfg.Workers, runtime.GOMAXPROCS(0)), p.cfg.Lockstep()
}

// ParallelGames returns the number of games that Play runs at once.
func (p *Player) ParallelGames() int {
	workers, games := p.Lockstep()
	return workers * games
}

// reset closes the networks. The next games get new ones.
func (p *Player) reset() {
	p.Close()
	p.servers, p.pool = nil, nil
}

// Play holds the games of a device back until a sample of the device's results agrees with the processor. If the device
// is lost, the processor plays those games again, and the rest. If w is nil, mcts.Uniform takes the network's place, in
// this call and in later ones.
func (p *Player) Play(ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), sink replay.Sink) (replay.Stats, error) {
	play := func(next func() (uint64, bool), keep func(*replay.Record) error) (replay.Stats, error) {
		return p.play(ctx, model, w, next, keep)
	}
	keep := func(g *replay.Record) error { return sink.Keep(replay.LocalWorker, g) }
	p.Servers(w)
	if !p.playing() {
		return play(next, keep)
	}
	return playVerified(play, p.verify, next, keep)
}

// play is Play without a doubt about the device.
func (p *Player) play(
	ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), keep func(*replay.Record) error,
) (replay.Stats, error) {
	for _, s := range p.Servers(w) {
		s.Load(w)
	}
	if p.pool == nil {
		c := p.cfg
		c.Workers, c.GamesPerWorker = p.Lockstep()
		p.pool = p.newPool(c, p.servers)
	}
	return p.pool(ctx, model, next, keep)
}

// PlayFor plays games with numbers from first on, and returns them in the order of their numbers, for measurements: it
// does not doubt a device. It begins at least least of them, at most most, and others until the window is over.
func (p *Player) PlayFor(ctx context.Context, model uint64, w *net.Weights, first uint64, least, most int, window time.Duration) ([]*replay.Record, replay.Stats, error) {
	var mu sync.Mutex
	var games []*replay.Record
	var begin time.Time
	taken := 0
	stats, err := p.play(ctx, model, w, func() (uint64, bool) {
		mu.Lock()
		defer mu.Unlock()
		if taken == 0 { // the networks are compiled
			begin = time.Now()
		}
		taken++
		return first + uint64(taken) - 1, taken <= most && (taken <= least || time.Since(begin) < window)
	}, func(g *replay.Record) error {
		mu.Lock()
		defer mu.Unlock()
		games = append(games, g)
		return nil
	})
	slices.SortFunc(games, func(a, b *replay.Record) int { return cmp.Compare(a.Number, b.Number) })
	return games, stats, err
}

// Servers returns the networks that the goroutines use in turn. The first call makes them, with the weights w, and so
// does the first one after the device is lost.
func (p *Player) Servers(w *net.Weights) []*net.Server {
	if p.onCard && !p.playing() { // the pool's cache may hold false evaluations
		p.reset()
	}
	if p.servers != nil || w == nil {
		return p.servers
	}
	var device *net.Device
	networks := 1
	if p.onCard = p.playing(); p.onCard {
		device, networks = p.device, deviceNetworks
	}
	_, games := p.Lockstep()
	for range networks {
		p.servers = append(p.servers, net.NewServer(device, w, max(deviceBatch, games)))
	}
	if p.onCard && slices.ContainsFunc(p.servers, func(s *net.Server) bool { return !s.OnDevice() }) { // it has no room
		p.reset()
		p.device = nil
		return p.Servers(w)
	}
	return p.servers
}

// verify compares a sample of the device's last results with the processor. It returns false if the device is lost:
// then none of its games since the last call may be used, and the processor evaluates the next ones.
func (p *Player) verify() bool {
	for _, s := range p.servers {
		s.Verify()
	}
	return p.device.Lost() == nil
}

// Close frees the device's memory.
func (p *Player) Close() {
	for _, s := range p.servers {
		s.Close()
	}
}
