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

// Run is a training run to watch.
type Run struct {
	Name string // the label "run"
	Dir  string // its directory
	Feed *Feed  // of the process that trains it, this one; nil for others
}

// Feed is told how a run of this process is getting on. Its methods may be called by several goroutines at once. The zero value
// has been told nothing yet.
type Feed struct {
	// Workers lists the workers of the run, Pool says how far its games are, see run.Training. Each may be nil, and is called by
	// several goroutines at once. They are set before the Feed is used.
	Workers func() []cluster.WorkerStatus
	Pool    func() cluster.Progress

	event    atomic.Pointer[train.Event]
	warnings atomic.Uint64
}

// Observe takes in an event, see train.Setup.
func (f *Feed) Observe(e train.Event) { f.event.Store(&e) }

// Warn counts a warning, see train.Setup.
func (f *Feed) Warn(error) { f.warnings.Add(1) }

// history is what a run's metrics say, all lines together. It is safe for concurrent use.
type history struct {
	dir string

	mu      sync.Mutex
	size    int64 // of the file that was read
	changed time.Time
	summary summary
}

// summary is what is told of a run's metrics.
type summary struct {
	lines             int
	last              checkpoint.Metrics // the newest line
	learned           *checkpoint.Learning
	judged            checkpoint.Metrics // the newest line with an evaluation
	spent             checkpoint.Seconds
	processor         float64 // seconds
	tested, falseOnes int     // resignations
}

// read returns the summary, from the file only if it has changed.
func (h *history) read() (summary, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	info, err := os.Stat(checkpoint.MetricsFile(h.dir))
	if os.IsNotExist(err) {
		return summary{}, nil // the run has not begun
	} else if err != nil {
		return summary{}, err
	}
	if info.Size() == h.size && info.ModTime().Equal(h.changed) {
		return h.summary, nil
	}
	all, err := checkpoint.ReadMetrics(h.dir)
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
			s.judged = m
		}
		s.tested += m.TestedResignations
		s.falseOnes += m.FalseResignations
	}
	s.spent, s.processor = checkpoint.Spent(all)
	return s
}
