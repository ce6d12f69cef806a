package metrics

import (
	"maps"
	"sync/atomic"

	"tengen/selfplay/cluster"
	"tengen/train"
	"tengen/train/checkpoint"
)

// Run is a training run.
type Run struct {
	Name string // the label "run"
	Dir  string // its directory
	Feed *Feed  // nil if another process trains it
}

// Feed receives the events of this process's run. It is safe for concurrent use. The zero Feed is empty.
type Feed struct {
	// Workers and GamesProgress return the state of the run's workers and games, see run.Training. Either may be nil.
	// They and Device must be set before the Feed is used, and be safe for concurrent use.
	Workers       func() []cluster.WorkerStatus
	Device        string // that evaluates positions, or "" for the processor
	GamesProgress func() cluster.Progress

	event    atomic.Pointer[train.Event]
	warnings atomic.Uint64
}

// Observe records an event. It fits train.Setup.
func (f *Feed) Observe(e train.Event) { f.event.Store(&e) }

// Warn counts a warning. It fits train.Setup.
func (f *Feed) Warn(error) { f.warnings.Add(1) }

// summary is what a run's metrics say.
type summary struct {
	last   checkpoint.Metrics            // the newest line, zero if there is none
	newest map[string][]checkpoint.Point // by chart, of the newest line that has points of it
}

// read reads a run's metrics.
func read(dir string) (s summary, err error) {
	all, err := checkpoint.ReadMetrics(dir)
	s.newest = map[string][]checkpoint.Point{}
	for _, m := range all {
		s.last = m
		maps.Copy(s.newest, checkpoint.Points(&m))
	}
	return s, err
}
