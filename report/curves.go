package report

import (
	"maps"
	"slices"

	"tengen/arena/rating"
	"tengen/train/rundir"
)

// group is a section of curves.
type group struct {
	title  string
	curves []curves
}

// curves is what a chart shows of a run: several lines, of which each run has some. With several runs each line has a chart of
// its own, so that colours can tell the runs apart.
type curves struct {
	title, unit string
	fromZero    bool
	lines       []line
}

// line is a curve of a run.
type line struct {
	name string
	at   func(m rundir.Metrics) (p point, ok bool) // ok is false where the line has no point
}

// point is a value with its 95 % interval, if it has one.
type point struct {
	y, low, high float64
	interval     bool
}

// groups are all sections. Which opponents, heads, and parts of exams there are depends on the runs.
func groups(runs []*run) []group {
	return []group{
		{"Strength", append(scores(runs), rated, best, mistakes, examined(runs))},
		{"Learning", []curves{losses(runs), entropy, learningRate}},
		{"Games", []curves{length, results}},
		{"Speed", []curves{speed, cached}},
	}
}

// always makes a line of a number that every iteration has.
func always(name string, value func(m rundir.Metrics) float64) line {
	return line{name, func(m rundir.Metrics) (point, bool) { return point{y: value(m)}, true }}
}

// learned makes a line of a number that iterations have which learned.
func learned(name string, value func(l *rundir.Learning) float64) line {
	return line{name, func(m rundir.Metrics) (point, bool) {
		if m.Learning == nil {
			return point{}, false
		}
		return point{y: value(m.Learning)}, true
	}}
}

// share is a share of n trials, in percent.
func share(p float64, n int) point {
	low, high := rating.Wilson(p, n)
	return point{100 * p, 100 * low, 100 * high, true}
}

// scores are the matches against fixed opponents.
func scores(runs []*run) (list []curves) {
	names := map[string]bool{}
	for _, r := range runs {
		for _, m := range r.metrics {
			for name, t := range m.Evaluation {
				if t.Games() > 0 && !rundir.IsModelName(name) {
					names[name] = true
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, curves{"Score against " + name, "%", true, []line{{"score", func(m rundir.Metrics) (point, bool) {
			t, ok := m.Evaluation[name]
			if !ok || t.Games() == 0 {
				return point{}, false
			}
			return share(t.Score(), t.Games()), true
		}}}})
	}
	return list
}

var rated = curves{"Rating above the fixed opponent", "Elo", false, []line{{"Elo", func(m rundir.Metrics) (point, bool) {
	if m.Rating == nil {
		return point{}, false
	}
	return point{m.Rating.Elo, m.Rating.Low, m.Rating.High, true}, true
}}}}

// graded makes a line of the grades by perfect play.
func graded(name string, of func(g *rundir.Grade) (p point, ok bool)) line {
	return line{name, func(m rundir.Metrics) (point, bool) {
		if m.Grade == nil || m.Grade.Positions == 0 {
			return point{}, false
		}
		return of(m.Grade)
	}}
}

var best = curves{"Moves that are the best, by perfect play", "%", false, []line{
	graded("search", func(g *rundir.Grade) (point, bool) { return share(g.Search.Optimal, g.Positions), true }),
	graded("bare network", func(g *rundir.Grade) (point, bool) { return share(g.Policy.Optimal, g.Positions), true }),
}}

var mistakes = curves{"Mistakes of the search, by stage of the game", "%", true, []line{
	mistakesIn("beginning"), mistakesIn("middle"), mistakesIn("end"),
}}

// mistakesIn is the share of moves in a stage that are not the best. Metrics do not say of how many.
func mistakesIn(stage string) line {
	return graded(stage, func(g *rundir.Grade) (point, bool) {
		p, ok := g.Search.Mistakes[stage]
		return point{y: 100 * p}, ok
	})
}

// examined is the exam of the game, a line for each part.
func examined(runs []*run) curves {
	c := curves{"Right moves of the search in the exam", "%", false, nil}
	var parts []string
	for _, r := range runs {
		for _, m := range r.metrics {
			for _, e := range m.Exam {
				if !slices.Contains(parts, e.Part) {
					parts = append(parts, e.Part)
				}
			}
		}
	}
	for _, part := range parts {
		c.lines = append(c.lines, line{part, func(m rundir.Metrics) (point, bool) {
			for _, e := range m.Exam {
				if e.Part == part {
					return point{100 * e.Search.Share, 100 * e.Search.Low, 100 * e.Search.High, true}, true
				}
			}
			return point{}, false
		}})
	}
	return c
}

// losses are those of the heads.
func losses(runs []*run) curves {
	c := curves{"Losses, means over the steps of an iteration", "nats", false, nil}
	var names []string
	for _, r := range runs {
		for _, m := range r.metrics {
			if m.Learning == nil {
				continue
			}
			for _, t := range m.Terms {
				if !slices.Contains(names, t.Name) {
					names = append(names, t.Name)
				}
			}
		}
	}
	for _, name := range names {
		c.lines = append(c.lines, line{name, func(m rundir.Metrics) (point, bool) {
			if m.Learning == nil {
				return point{}, false
			}
			i := slices.IndexFunc(m.Terms, func(t rundir.Term) bool { return t.Name == name })
			if i < 0 {
				return point{}, false
			}
			return point{y: m.Terms[i].Loss}, true
		}})
	}
	return c
}

var (
	entropy = curves{"Entropy of the network's policy", "nats", false, []line{
		learned("entropy", func(l *rundir.Learning) float64 { return l.PolicyEntropy })}}
	learningRate = curves{"Learning rate", "", true, []line{
		learned("learning rate", func(l *rundir.Learning) float64 { return l.LearningRate })}}
	length = curves{"Length of the self-play games", "moves", false, []line{
		always("mean", func(m rundir.Metrics) float64 { return m.GameLength })}}
	results = curves{"Results of the self-play games", "%", true, []line{
		always("first player wins", func(m rundir.Metrics) float64 { return 100 * m.FirstPlayerShare }),
		always("draw", func(m rundir.Metrics) float64 { return 100 * m.DrawShare }),
		always("second player wins", func(m rundir.Metrics) float64 { return 100 * m.SecondPlayerShare }),
	}}
	speed = curves{"Self-play games a second", "", true, []line{
		always("games a second", func(m rundir.Metrics) float64 { return m.GamesPerSecond })}}
	cached = curves{"Evaluations that were known already", "%", true, []line{
		always("known", func(m rundir.Metrics) float64 { return 100 * m.CacheHitRate })}}
)
