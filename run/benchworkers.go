package run

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

// forWorkers computes how many workers pay, from a player's games and the mean evaluations of a game. The player plays on to
// have its speed measured: its cache is then about as full as in an iteration.
func (b *bench[S]) forWorkers(player *netplayer.Player, games []*replay.Record, lookups float64) {
	if b.err != nil {
		return
	}
	b.progress("self-play without an end")
	speed, err := lookupSpeed(b.ctx, player, uint64(b.cfg.Selfplay.GrowIterations), b.weights, uint64(len(games)), b.window)
	adding, refused := b.adding(games)
	if b.err = cmp.Or(err, refused); b.err != nil {
		return
	}
	positions := 0
	for _, g := range games {
		positions += g.Positions()
	}
	size := gameSize{lookups: lookups, positions: float64(positions) / float64(len(games))}
	samples := b.TrainSamplesPerSecond
	if b.cfg.Compute.Device != "auto" && b.DeviceTrainSamples > 0 { // self-play was on it, too
		samples = b.DeviceTrainSamples
	}
	l := size.load(b.cfg.Train, speed, samples)
	l.Learn += adding * float64(b.cfg.Train.GamesPerIteration)
	b.Workers = &WorkersReport{
		Load: l, Games: b.cfg.Train.GamesPerIteration, GamesAtOnce: player.ParallelGames(),
		Worth: l.Worth(), Limit: l.Limit(), Most: l.Most(),
	}
}

// adding returns the seconds that the window takes to add a game. It may solve positions of the game.
func (b *bench[S]) adding(games []*replay.Record) (float64, error) {
	b.progress("adding games to the window")
	w := b.game.window(b.cfg.Replay)
	if err := w.Add(games[0]); err != nil { // makes the solver
		return 0, err
	}
	start := time.Now()
	err := w.Add(games[1:]...)
	return time.Since(start).Seconds() / float64(max(1, len(games)-1)), err
}
