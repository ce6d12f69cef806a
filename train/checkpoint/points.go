package checkpoint

import (
	"maps"
	"slices"

	"tengen/eval/rating"
)

// Point is one value of a chart's series.
type Point struct {
	Series   string      `json:"series"` // "" if the chart has only one
	Value    float32     `json:"value"`
	Interval *[2]float32 `json:"interval,omitempty"` // 95 %
}

// Between returns a point with its 95 % interval.
func Between(series string, value, low, high float64) Point {
	return Point{series, float32(value), &[2]float32{float32(low), float32(high)}}
}

// Points returns an iteration's points by chart ID.
func Points(m *Metrics) map[string][]Point {
	all := map[string][]Point{}
	for _, c := range Charts {
		if c.points == nil {
			continue
		}
		if points := c.points(m); len(points) > 0 {
			all[c.ID] = points
		}
	}
	return all
}

// Line is an iteration in the charts: its place on the horizontal axes, and its points by chart ID. Iteration 0 is the
// run's first model.
type Line struct {
	Iteration int                `json:"iteration"`
	Games     uint64             `json:"games"`
	Positions uint64             `json:"positions"`
	Steps     uint64             `json:"steps"`
	Hours     float64            `json:"hours"` // spent on the run so far
	Points    map[string][]Point `json:"points"`
}

// Lines returns the chart lines of a run with these metrics.
func Lines(metrics []Metrics) []Line {
	lines, hours := make([]Line, len(metrics)), 0.0
	for i := range metrics {
		m := &metrics[i]
		spent, _ := Spent(metrics[i : i+1])
		hours += spent.Total / 3600
		lines[i] = Line{m.Iteration, m.Games, m.Positions, m.Step, hours, Points(m)}
	}
	return lines
}

// Thin returns lines with at most so many points of each series, evenly spread, with the newest.
func Thin(lines []Line, most int) []Line {
	type series struct{ chart, name string }
	left := map[series]int{} // how many of its points are still to come
	all := map[series]int{}
	for _, l := range lines {
		for chart, points := range l.Points {
			for _, p := range points {
				left[series{chart, p.Series}]++
				all[series{chart, p.Series}]++
			}
		}
	}
	thin := []Line{}
	for _, l := range lines {
		kept := map[string][]Point{}
		for chart, points := range l.Points {
			for _, p := range points {
				s := series{chart, p.Series}
				left[s]--
				if step := (all[s] + most - 1) / most; left[s]%step == 0 {
					kept[chart] = append(kept[chart], p)
				}
			}
		}
		if len(kept) > 0 {
			l.Points = kept
			thin = append(thin, l)
		}
	}
	return thin
}

func plain(series string, value float64) Point { return Point{Series: series, Value: float32(value)} }

func percent(series string, p float64) Point { return plain(series, 100*p) }

// share returns a share of n trials, in percent, with its interval.
func share(series string, p float64, n int) Point {
	return proportion(series, rating.Wilson(p, n))
}

func proportion(series string, p rating.Proportion) Point {
	return Between(series, 100*p.Share, 100*p.Low, 100*p.High)
}

// scores returns the match scores.
func scores(m *Metrics) (list []Point) {
	for _, name := range slices.Sorted(maps.Keys(m.Evaluation)) {
		if t := m.Evaluation[name]; t.Games() > 0 {
			list = append(list, share(name, t.Score(), t.Games()))
		}
	}
	return list
}

// graded returns the points function of a chart with the series search and bare network.
func graded(point func(series string, a rating.Accuracy, positions int) Point) func(m *Metrics) []Point {
	return func(m *Metrics) []Point {
		if m.Grade == nil || m.Grade.Positions == 0 {
			return nil
		}
		n := m.Grade.Positions
		return []Point{point("search", m.Grade.Search, n), point("bare network", m.Grade.Policy, n)}
	}
}

func mistakes(m *Metrics) (list []Point) {
	if m.Grade == nil {
		return nil
	}
	graded := m.Grade.Search
	for _, stage := range []string{"beginning", "middle", "end"} {
		if p, ok := graded.Mistakes[stage]; ok {
			list = append(list, share(stage, p, graded.Stages[stage]))
		}
	}
	return list
}

// examined returns the points function of a chart with a series for each part of the exam.
func examined(share func(e ExamPart) rating.Proportion) func(m *Metrics) []Point {
	return func(m *Metrics) (list []Point) {
		for _, e := range m.Exam {
			list = append(list, proportion(e.Part, share(e)))
		}
		return list
	}
}

func losses(m *Metrics) (list []Point) {
	if m.Learning == nil {
		return nil
	}
	for _, t := range m.Terms {
		list = append(list, plain(t.Name, t.Loss))
	}
	return append(list, plain("value, unseen", m.UnseenValueLoss), plain("policy, unseen", m.UnseenPolicyLoss))
}

// single returns the points function of a chart with one series.
func single(value func(m *Metrics) float64) func(m *Metrics) []Point {
	return func(m *Metrics) []Point { return []Point{plain("", value(m))} }
}

// learned is like single. Iterations that did not learn have no point.
func learned(value func(l *Learning) float64) func(m *Metrics) []Point {
	return func(m *Metrics) []Point {
		if m.Learning == nil {
			return nil
		}
		return []Point{plain("", value(m.Learning))}
	}
}

func times(m *Metrics) []Point {
	s := m.Seconds
	return spent(
		plain("self-play", s.SelfPlay), plain("waiting for workers", s.Wait), plain("verifying games", s.Verify),
		plain("training", s.Train), plain("evaluation", s.Evaluate), plain("all", s.Total), plain("processor", m.CPUSeconds),
	)
}

func cores(m *Metrics) []Point {
	c := m.CoreSeconds
	return spent(
		plain("network", c.Network), plain("search", c.Search), plain("training", c.Train), plain("log", c.Log), plain("idle", c.Idle),
	)
}

// spent leaves out the points for parts that took no time.
func spent(all ...Point) []Point {
	return slices.DeleteFunc(all, func(p Point) bool { return p.Value <= 0 })
}
