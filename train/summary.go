package train

import (
	"strconv"

	"tengen/replay"
	"tengen/train/checkpoint"
)

// figures returns the training figures stored in a model's file. They depend only on the configuration and the seed, so
// evaluations, which may depend on timing, are left out.
func figures(m *checkpoint.Metrics) map[string]string {
	figures := map[string]string{
		"games":     strconv.FormatUint(m.Games, 10),
		"positions": strconv.FormatUint(m.Positions, 10),
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
	if m.Learning != nil {
		for _, t := range m.Terms {
			figures[t.Key()] = number(t.Loss)
		}
	}
	return figures
}

func newWork(s replay.Stats) checkpoint.Work {
	w := checkpoint.Work{Verified: s.Verified}
	if seconds := s.Duration.Seconds(); seconds > 0 {
		w.GamesPerSecond = float64(s.Games) / seconds
		w.EvaluationsPerSecond = float64(s.Evaluations) / seconds
		w.SimulationsPerSecond = float64(s.Simulations) / seconds
	}
	if s.CacheLookups > 0 {
		w.CacheHitRate = float64(s.CacheHits) / float64(s.CacheLookups)
	}
	return w
}

func newPlay(games []*replay.Record) checkpoint.Play {
	var p checkpoint.Play
	var plies, opening int
	var outcomes [3]int // second player won, draw, first player won
	for _, g := range games {
		plies += len(g.Moves)
		opening += g.Opening
		outcomes[g.Outcome+1]++
	}
	n := float64(len(games))
	p.GameLength, p.OpeningShare = float64(plies)/n, float64(opening)/float64(max(1, plies))
	p.SecondPlayerShare, p.DrawShare, p.FirstPlayerShare = float64(outcomes[0])/n, float64(outcomes[1])/n, float64(outcomes[2])/n
	return p
}

// addStep adds one of the given number of steps to the means.
func addStep(l *checkpoint.Learning, r StepResult, steps int) {
	share := 1 / float64(steps)
	l.Loss += float64(share * float64(r.Total+r.L2))
	if l.Terms == nil {
		l.Terms = make([]checkpoint.Term, len(r.Terms))
	}
	for i, t := range r.Terms {
		l.Terms[i].Name = t.Name
		l.Terms[i].Loss += float64(share * float64(t.Loss))
	}
	l.L2Loss += float64(share * float64(r.L2))
	l.PolicyEntropy += float64(share * float64(r.Entropy))
	l.GradientNorm += float64(share * r.GradientNorm)
	l.LearningRate = r.LearningRate
}
