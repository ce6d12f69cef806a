package metrics

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tengen/eval/rating"
	"tengen/train"
	"tengen/train/checkpoint"
)

// collector collects the figures of runs on each scrape.
type collector struct {
	runs      []Run
	histories []*history
}

func newCollector(runs []Run) *collector {
	c := &collector{runs: runs}
	for _, r := range runs {
		c.histories = append(c.histories, newHistory(r.Dir))
	}
	return c
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range families {
		ch <- f.desc
	}
}

// readLimit is the time that a run's file may take, well below a scrape's usual 10 seconds.
const readLimit = 3 * time.Second

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	var runs sync.WaitGroup
	for i, r := range c.runs {
		runs.Go(func() {
			e := emitter{ch, strings.ToValidUTF8(r.Name, "\uFFFD")} // labels are UTF-8, folder names need not be
			s, err := c.histories[i].readWithin(readLimit)
			e.flag(readable, err == nil)
			if err == nil && s.lines > 0 {
				e.progress(s)
				e.strength(s.judged)
			}
			if r.Feed != nil {
				e.live(r.Feed)
			}
		})
	}
	runs.Wait()
}

// emitter sends the figures of one run.
type emitter struct {
	ch  chan<- prometheus.Metric
	run string
}

// put sends a value with the labels after "run".
func (e emitter) put(f *family, value float64, labels ...string) {
	e.ch <- prometheus.MustNewConstMetric(f.desc, f.kind, value, append([]string{e.run}, labels...)...)
}

func (e emitter) flag(f *family, on bool, labels ...string) {
	value := 0.0
	if on {
		value = 1
	}
	e.put(f, value, labels...)
}

// progress sends how far a run has come, how fast, and its losses.
func (e emitter) progress(s summary) {
	m := s.last
	e.put(iteration, float64(m.Iteration))
	e.put(games, float64(m.Games))
	e.put(positions, float64(m.Positions))
	e.put(steps, float64(m.Step))
	e.put(window, float64(m.Window))
	e.put(model, float64(m.Model))
	if !m.Time.IsZero() {
		e.put(lastIteration, float64(m.Time.UnixMilli())/1000)
	}
	e.put(iterationSeconds, m.Seconds.Total)
	e.put(gamesPerSecond, m.GamesPerSecond)
	e.put(evaluationsPerSecond, m.EvaluationsPerSecond)
	e.put(simulationsPerSecond, m.SimulationsPerSecond)
	e.put(cacheHits, m.CacheHitRate)
	e.put(gameLength, m.GameLength)
	e.put(results, m.FirstPlayerShare, "first")
	e.put(results, m.DrawShare, "draw")
	e.put(results, m.SecondPlayerShare, "second")
	e.put(resigned, m.ResignedShare)
	e.put(testedResignations, float64(s.tested))
	e.put(falseResignations, float64(s.falseOnes))
	for phase, seconds := range map[string]float64{
		"selfplay": s.spent.SelfPlay, "wait": s.spent.Wait, "verify": s.spent.Verify, "train": s.spent.Train, "evaluate": s.spent.Evaluate, "other": s.spent.Other(),
	} {
		e.put(phaseSeconds, seconds, phase)
	}
	e.put(processorSeconds, s.processor)
	if l := s.learned; l != nil {
		e.put(objective, l.Loss)
		for _, t := range l.Terms {
			e.put(loss, t.Loss, t.Name)
		}
		e.put(loss, l.L2Loss, "l2")
		e.put(policyEntropy, l.PolicyEntropy)
		e.put(gradientNorm, l.GradientNorm)
		e.put(learningRate, l.LearningRate)
	}
}

// strength sends the results of the newest evaluation.
func (e emitter) strength(m checkpoint.Metrics) {
	for _, opponent := range slices.Sorted(maps.Keys(m.Evaluation)) {
		t := m.Evaluation[opponent]
		if checkpoint.IsModelName(opponent) || t.Games() == 0 {
			continue // the rating covers the run's own models
		}
		low, high := t.ScoreInterval()
		e.put(score, t.Score(), opponent)
		e.put(scoreLow, low, opponent)
		e.put(scoreHigh, high, opponent)
	}
	if r := m.Rating; r != nil {
		e.put(elo, r.Elo)
		e.put(eloLow, r.Low)
		e.put(eloHigh, r.High)
	}
	if g := m.Grade; g != nil {
		e.accuracy(g.Search, "search")
		e.accuracy(g.Policy, "policy")
	}
	for _, part := range m.Exam {
		e.put(exam, part.Search.Share, part.Part, "search")
		e.put(exam, part.Policy.Share, part.Part, "policy")
	}
}

// accuracy sends a model's accuracy by perfect play, with its search or without.
func (e emitter) accuracy(a rating.Accuracy, player string) {
	e.put(optimal, a.Optimal, player)
	e.put(keepsValue, a.KeepsValue, player)
	for stage, share := range a.Mistakes {
		e.put(mistakes, share, player, stage)
	}
}

// live sends what only the training process knows.
func (e emitter) live(f *Feed) {
	e.put(warnings, float64(f.warnings.Load()))
	if event := f.event.Load(); event != nil {
		e.put(planned, float64(event.Iterations))
		for _, p := range train.Phases {
			e.flag(phase, p == event.Phase, string(p))
		}
		if event.Total > 0 {
			e.put(phaseProgress, float64(event.Done)/float64(event.Total))
		}
	}
	if f.Pool != nil {
		p := f.Pool()
		e.put(verified, float64(p.Verified))
		e.put(unverified, float64(p.Skipped))
	}
	if f.Workers == nil {
		return
	}
	connected, banned := 0, 0
	for _, w := range f.Workers() {
		if w.Banned != "" {
			banned++
			continue
		}
		if w.Connected {
			connected++
		}
		e.put(workerGames, float64(w.Games), w.Name)
		e.put(workerSpeed, w.GamesRate, w.Name)
	}
	e.put(workers, float64(connected))
	e.put(caught, float64(banned))
}
