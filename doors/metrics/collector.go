package metrics

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"tengen/internal/memo"
	"tengen/train"
	"tengen/train/checkpoint"
)

type collector struct {
	runs  func() []Run
	files *memo.Memo[summary]
}

func newCollector(runs func() []Run) *collector {
	const most = 10_000 // runs whose figures are remembered
	return &collector{runs, memo.New[summary](most)}
}

// Describe implements prometheus.Collector. It sends nothing, because a run's figures depend on its progress.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	for _, r := range c.runs() {
		e := emitter{ch, strings.ToValidUTF8(r.Name, "\uFFFD")} // labels must be UTF-8
		s, err := c.files.Get(context.Background(), checkpoint.MetricsFile(r.Dir), "", func() (summary, error) { return read(r.Dir) })
		e.gauge("run_readable", "1 if the metrics of the run's directory can be read, else 0.", number(err == nil))
		if err == nil && s.last.Iteration > 0 {
			e.progress(s.last)
			e.charts(s.newest)
		}
		if r.Feed != nil {
			e.live(r.Feed)
		}
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

type emitter struct {
	ch  chan<- prometheus.Metric
	run string
}

// gauge sends a figure that rises and falls. labels are names and values; "run" is added.
func (e emitter) gauge(name, help string, value float64, labels ...string) {
	e.send(prometheus.GaugeValue, name, help, value, labels)
}

// counter sends a figure that only rises.
func (e emitter) counter(name, help string, value float64, labels ...string) {
	e.send(prometheus.CounterValue, name, help, value, labels)
}

func (e emitter) send(kind prometheus.ValueType, name, help string, value float64, labels []string) {
	names, values := []string{"run"}, []string{e.run}
	for pair := range slices.Chunk(labels, 2) {
		names, values = append(names, pair[0]), append(values, pair[1])
	}
	desc := prometheus.NewDesc("tengen_"+name, help, names, nil)
	e.ch <- prometheus.MustNewConstMetric(desc, kind, value, values...)
}

// progress sends a run's progress.
func (e emitter) progress(last checkpoint.Metrics) {
	e.gauge("iteration", "Iterations that the run has completed.", float64(last.Iteration))
	e.counter("games_total", "Self-play games that the run has learned from.", float64(last.Games))
	e.counter("positions_total", "Training positions of these games.", float64(last.Positions))
	e.counter("steps_total", "Steps of gradient descent.", float64(last.Step))
	if !last.Time.IsZero() {
		e.gauge("last_iteration_timestamp_seconds", "When the last iteration ended, in Unix time.", float64(last.Time.UnixMilli())/1000)
	}
	e.gauge("iteration_seconds", "Time that the last iteration took.", last.Seconds.Total)
}

// charts sends the newest points of each chart, in its unit.
func (e emitter) charts(newest map[string][]checkpoint.Point) {
	for _, c := range checkpoint.Charts {
		name, about := "chart_"+c.ID, c.Describe()
		for _, p := range newest[c.ID] {
			e.gauge(name, about, float64(p.Value), "series", p.Series)
			if p.Interval != nil {
				e.gauge(name+"_low", about+" The lower end.", float64(p.Interval[0]), "series", p.Series)
				e.gauge(name+"_high", about+" The upper end.", float64(p.Interval[1]), "series", p.Series)
			}
		}
	}
}

// live sends the training process's figures.
func (e emitter) live(f *Feed) {
	e.counter("warnings_total", "Warnings of this process.", float64(f.warnings.Load()))
	e.gauge("device", "Always 1; the label is what evaluates the positions of self-play.", 1, "device", cmp.Or(f.Device, "processor"))
	if event := f.event.Load(); event != nil {
		e.gauge("planned_iterations", "Iterations of the configuration.", float64(event.Iterations))
		for _, p := range train.Phases {
			e.gauge("phase", "1 for what the run is doing now, 0 for the other phases.", number(p == event.Phase),
				"phase", string(p))
		}
		if event.Total > 0 {
			e.gauge("phase_progress_ratio", "How far the phase has come, where it has parts to count.",
				float64(event.Done)/float64(event.Total))
		}
	}
	if f.GamesProgress != nil {
		p := f.GamesProgress()
		e.counter("verified_games_total",
			"Games of workers that this process has played again.", float64(p.Verified))
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
		e.counter("worker_games_total", "Games of a worker that this process has taken.", float64(w.Games),
			"worker", w.Name)
		e.gauge("worker_games_per_second", "Games of a worker in a second, over about half a minute.", w.GamesRate,
			"worker", w.Name)
	}
	e.gauge("workers", "Workers that are connected.", float64(connected))
	e.gauge("workers_caught", "Workers whose tokens were revoked for false games, or for messages that are no games.",
		float64(banned))
}
