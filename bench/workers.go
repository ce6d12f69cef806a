package bench

import (
	"cmp"
	"math"
	"time"

	"tengen/replay"
	"tengen/selfplay/netplayer"
)

// Load is the work of an iteration on machines of one kind, in seconds. It leaves out evaluations, games played again,
// and the sending of models and games.
//
// One machine takes Play + Learn for an iteration. With n workers of its kind, it takes
//
//	Play/(n+1) + Learn    if the trainer plays too, and workers wait while it learns
//	max(Play/n, Learn)    if the trainer only learns, while workers play the next games (selfplay.ahead 1, cluster.local false)
//
// This holds while an iteration has several times as many games as the workers hold at once.
type Load struct {
	Play  float64 `json:"play_seconds"`  // games / (games/s)
	Learn float64 `json:"learn_seconds"` // passes * positions / (samples/s)
}

// Seconds returns the time of an iteration with some workers by the first formula.
func (l Load) Seconds(workers int) float64 { return l.Play/float64(workers+1) + l.Learn }

// Most returns the speedup that no number of workers exceeds.
func (l Load) Most() float64 { return l.Seconds(0) / l.Learn }

// Limit returns how many workers it takes until training is the limit with the second formula: they play no longer than
// the trainer learns.
func (l Load) Limit() int { return int(math.Ceil(l.Play / l.Learn)) }

// Worth returns how many workers pay with the first formula: each of them shortens the iteration by a tenth or more.
func (l Load) Worth() (workers int) {
	for l.Seconds(workers+1) <= 0.9*l.Seconds(workers) {
		workers++
	}
	return workers
}

// WorkersReport says how much workers of this machine's kind, all with the trainer's speed, shorten a run.
type WorkersReport struct {
	Load            // of an iteration
	Games       int `json:"games"`         // of an iteration
	GamesAtOnce int `json:"games_at_once"` // of a worker
	// Worth is how many workers pay with selfplay.ahead 0, Limit after how many of them training is the limit with ahead
	// 1, and Most the speedup that no number of them exceeds.
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
