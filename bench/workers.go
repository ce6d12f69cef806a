package bench

import (
	"cmp"
	"time"

	"tengen/replay"
	"tengen/selfplay/netplayer"
	"tengen/train"
)

// WorkersReport says how much workers of this machine's kind, all with the trainer's speed, shorten a run.
type WorkersReport struct {
	train.Load      // of an iteration
	Games       int `json:"games"`         // of an iteration
	GamesAtOnce int `json:"games_at_once"` // of a worker
	// Worth is how many workers pay with selfplay.ahead 0, Limit after how many of them training is the limit with ahead
	// 1, and Most the speedup that no number of them exceeds, see train.Load.
	Worth int     `json:"worth"`
	Limit int     `json:"limit"`
	Most  float64 `json:"most"`
}

// forWorkers computes how many workers pay, from a player's games and their mean size. The player plays on to have its
// speed measured: its cache is then about as full as in an iteration.
func (m *measurer) forWorkers(r *Report, p *netplayer.Player, size gameSize, games []*replay.Record) {
	lookups := m.lookups(p, len(games), m.window)
	adding := m.adding(games)
	if m.err != nil {
		return
	}
	samples := r.TrainSamplesPerSecond
	if m.cfg.Compute.Device != "auto" { // self-play was on it, too
		samples = cmp.Or(r.DeviceTrainSamples, samples)
	}
	l := size.load(m.cfg.Train, lookups, samples)
	l.Learn += adding * float64(m.cfg.Train.GamesPerIteration)
	r.Workers = &WorkersReport{
		Load: l, Games: m.cfg.Train.GamesPerIteration, GamesAtOnce: p.ParallelGames(),
		Worth: l.Worth(), Limit: l.Limit(), Most: l.Most(),
	}
}

// adding returns the seconds that the window takes to add a game. It may solve positions of the game.
func (m *measurer) adding(games []*replay.Record) float64 {
	if m.err != nil {
		return 0
	}
	m.progress("adding games to the window")
	w := m.game.Window(m.cfg.Replay)
	m.err = w.Add(games[0]) // makes the solver
	start := time.Now()
	m.err = cmp.Or(m.err, w.Add(games[1:]...))
	return time.Since(start).Seconds() / float64(max(1, len(games)-1))
}
