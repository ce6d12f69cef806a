package metrics

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

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

// history summarizes a run's metrics. It is safe for concurrent use.
type history struct {
	run Run

	mu      sync.Mutex
	size    int64 // of the file that was read
	changed time.Time
	summary summary
}

type summary struct {
	lines     int
	last      checkpoint.Metrics   // the newest line
	learned   *checkpoint.Learning // of the newest line with one
	evaluated checkpoint.Metrics   // the newest line with an evaluation
	spent     checkpoint.Seconds
	cores     checkpoint.CoreSeconds
	processor float64 // seconds
}

// read returns the summary. It reads the file only after a change.
func (h *history) read() (summary, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	info, err := os.Stat(checkpoint.MetricsFile(h.run.Dir))
	if os.IsNotExist(err) {
		return summary{}, nil // the run has not begun
	} else if err != nil {
		return summary{}, err
	}
	if info.Size() == h.size && info.ModTime().Equal(h.changed) {
		return h.summary, nil
	}
	all, err := checkpoint.ReadMetrics(h.run.Dir)
	if err != nil {
		return summary{}, err
	}
	h.summary, h.size, h.changed = summarize(all), info.Size(), info.ModTime()
	return h.summary, nil
}

func summarize(all []checkpoint.Metrics) (s summary) {
	s.lines = len(all)
	for _, m := range all {
		s.last = m
		if m.Learning != nil {
			s.learned = m.Learning
		}
		if m.Evaluation != nil {
			s.evaluated = m
		}
		s.cores.Network += m.CoreSeconds.Network
		s.cores.Search += m.CoreSeconds.Search
		s.cores.Log += m.CoreSeconds.Log
		s.cores.Train += m.CoreSeconds.Train
		s.cores.Idle += m.CoreSeconds.Idle
	}
	s.spent, s.processor = checkpoint.Spent(all)
	return s
}
