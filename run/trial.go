package run

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

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
	Positions     int     `json:"unseen_positions"`
	ValueError    float64 `json:"value_error"`    // of the network's value
	ConstantError float64 `json:"constant_error"` // of the mean result
	// Learned is true if the value's error is smaller by more than two standard errors of the difference between games.
	Learned bool `json:"learned"`
}

// A round of a Trial plays at most trialRound games, and begins no more after a share of the time. trialBatch positions
// are judged at once.
const (
	trialRound = 100
	trialShare = 0.1
	trialBatch = 32
)

// trialConfig returns the configuration of a Trial: a small network, short searches, and results as they are.
func (e typedGame[S]) trialConfig() Config {
	c := DefaultConfig()
	c.Game = e.Rules.Name()
	c.Net.Blocks, c.Net.Channels, c.Net.ReplyWeight = 2, 16, 0
	if c.Net.PolicyHead = net.HeadConv; net.Fits(c.Net, e.Rules) != nil {
		c.Net.PolicyHead = net.HeadDense
	}
	c.Search.Simulations = 32
	c.Selfplay.GamesPerWorker, c.Selfplay.CacheMegabytes, c.Selfplay.GrowIterations = 16, 16, 0
	c.Selfplay.OpeningPlies, c.Selfplay.Openings.DeepShare, c.Selfplay.Openings.PolicyShare = 4, 0, 0
	c.Train.Passes = 1 // a value that memorises few results is worse than none
	c.Train.BatchSize, c.Train.FinalLearningRate, c.Train.Average = 128, c.Train.LearningRate, 0.95
	c.Train.EvaluateEvery = 0
	return c
}

// Try implements Game.
func (e typedGame[S]) Try(ctx context.Context, wanted time.Duration) (t Trial, err error) {
	cfg, begin := e.trialConfig(), time.Now()
	if err := cmp.Or(cfg.Validate(), CheckMemory(cfg)); err != nil {
		return t, err
	}
	player, window := e.SelfPlay(cfg), e.Window(cfg.Replay)
	learner := train.NewLearner(cfg.Train, e.Weights(cfg), cfg.Seed)
	defer learner.Close()
	for number := uint64(0); ; {
		// Model 0 knows nothing, so value targets in its games are the results alone.
		games, _, err := player.PlayFor(ctx, min(1, number), learner.Published(), number, player.ParallelGames(), trialRound, time.Duration(trialShare*float64(wanted)))
		if err != nil {
			return t, err
		}
		number += uint64(len(games))
		if t.Games > 0 && time.Since(begin) >= wanted {
			t.Seconds = time.Since(begin).Seconds()
			return t, e.judge(&t, learner.Published(), games)
		}
		before := window.Positions()
		if err := window.Add(games...); err != nil {
			return t, err
		}
		t.Games += len(games)
		steps := int(math.Ceil(cfg.Train.Passes * float64(window.Positions()-before) / float64(cfg.Train.BatchSize)))
		for i := range steps {
			if _, err := learner.Step(window, 1, i+1 < steps); err != nil {
				return t, err
			}
		}
	}
}

// judge compares the network's values in the searched positions of games with their results.
func (e typedGame[S]) judge(t *Trial, w *net.Weights, games []*replay.Record) error {
	var states []S
	var results []float64
	mean := 0.0
	for _, g := range games {
		s := e.Rules.Start()
		for ply, a := range g.Moves {
			if ply >= g.Opening {
				states, results = append(states, s), append(results, float64(g.OutcomeAt(ply)))
				mean += float64(g.OutcomeAt(ply))
			}
			s = s.Play(a)
		}
	}
	n := float64(len(states))
	mean /= n
	values := make([]float32, len(states))
	priors := slices.Repeat([][]float32{make([]float32, e.Rules.Actions())}, len(states)) // not used
	if err := net.NewEvaluator[S](w, trialBatch).Evaluate(states, priors, values); err != nil {
		return err
	}
	t.Unseen, t.Positions = len(games), len(states)
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
	return nil
}
