package run

import (
	"cmp"
	"context"
	"math"
	"time"

	"tengen/engine"
	"tengen/net"
	"tengen/replay"
	"tengen/train"
)

// Trial is the result of a short training: what a network's value says about games that it has not learned from. The
// errors are mean squares over their positions, with results for the side to move.
type Trial struct {
	Seconds       float64 `json:"seconds"`
	Games         int     `json:"games"` // learned from
	Unseen        int     `json:"unseen_games"`
	Draws         int     `json:"unseen_draws"`
	Positions     int     `json:"unseen_positions"`
	ValueError    float64 `json:"value_error"`    // of the network's value
	ConstantError float64 `json:"constant_error"` // of the mean result
	// Learned is true if the value's error is smaller by more than two standard errors of the difference between games.
	Learned bool `json:"learned"`
}

// A round of a Trial plays at most trialRound games, and begins no more after a share of the time.
const (
	trialRound = 100
	trialShare = 0.1
)

// trialConfig returns the configuration of a Trial: a small network, short searches, and results as they are.
func trialConfig(e engine.Game) Config {
	c := DefaultConfig()
	c.Game = e.Info().Name
	c.Net.Blocks, c.Net.Channels, c.Net.ReplyWeight = 2, 16, 0
	if c.Net.PolicyHead = net.HeadConv; e.Fits(c.Net) != nil {
		c.Net.PolicyHead = net.HeadDense
	}
	c.Search.Simulations = 32
	c.Selfplay.GamesPerWorker, c.Selfplay.GrowIterations = 16, 0
	c.Selfplay.CacheMegabytes = 0 // Try gives several networks one model number, so a cache would mix them up
	c.Selfplay.OpeningPlies, c.Selfplay.Openings.DeepShare, c.Selfplay.Openings.PolicyShare = 4, 0, 0
	c.Train.Passes = 1 // a value that memorises few results is worse than none
	c.Train.BatchSize, c.Train.FinalLearningRate, c.Train.Average = 128, c.Train.LearningRate, 0.95
	c.Train.EvaluateEvery = 0
	return c
}

// Try trains a small network in memory for about the wanted time, and at least once, to see whether the game can be
// learned.
func Try(ctx context.Context, e engine.Game, wanted time.Duration) (*Trial, error) {
	cfg, begin, t := trialConfig(e), time.Now(), &Trial{}
	if err := cmp.Or(cfg.Validate(), CheckMemory(cfg)); err != nil {
		return nil, err
	}
	player, window := e.SelfPlay(cfg.Selfplay, cfg.Search, cfg.Seed), e.Window(cfg.Replay)
	learner := train.NewLearner(cfg.Train, e.Weights(cfg.Net, cfg.Seed), cfg.Seed)
	defer learner.Close()
	for number := uint64(0); ; {
		// Model 0 knows nothing, so value targets in its games are the results alone.
		games, _, err := player.PlayFor(ctx, min(1, number), learner.Published(), number, player.ParallelGames(), trialRound, time.Duration(trialShare*float64(wanted)))
		if err != nil {
			return nil, err
		}
		number += uint64(len(games))
		if t.Games > 0 && time.Since(begin) >= wanted {
			t.Seconds = time.Since(begin).Seconds()
			values, err := e.Values(learner.Published(), games)
			if err != nil {
				return nil, err
			}
			t.judge(values, games)
			return t, nil
		}
		before := window.Positions()
		if err := window.Add(games...); err != nil {
			return nil, err
		}
		t.Games += len(games)
		steps := cfg.Train.Steps(int(window.Positions() - before))
		for i := range steps {
			if _, err := learner.Step(window, 1, i+1 < steps); err != nil {
				return nil, err
			}
		}
	}
}

// judge compares a network's values of the searched positions of games with their results.
func (t *Trial) judge(values []float32, games []*replay.Record) {
	var results []float64
	mean := 0.0
	for _, g := range games {
		if g.OutcomeAt(0) == 0 {
			t.Draws++
		}
		for ply := g.Opening; ply < len(g.Moves); ply++ {
			result := float64(g.OutcomeAt(ply))
			results = append(results, result)
			mean += result
		}
	}
	n := float64(len(values))
	mean /= n
	t.Unseen, t.Positions = len(games), len(values)
	gain, squares := 0.0, 0.0 // the gain is the sum of the games'
	for _, g := range games {
		value, constant := 0.0, 0.0
		for i, result := range results[:g.Searched()] {
			value += math.Pow(float64(values[i])-result, 2)
			constant += math.Pow(mean-result, 2)
		}
		values, results = values[g.Searched():], results[g.Searched():]
		t.ValueError += value / n
		t.ConstantError += constant / n
		gain += constant - value
		squares += math.Pow(constant-value, 2)
	}
	t.Learned = gain > 2*math.Sqrt(squares) // the sum's standard error, if the games' gains were 0 on average
}
