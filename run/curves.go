package run

import (
	"errors"
	"time"

	"tengen/train"
	"tengen/train/checkpoint"
	"tengen/train/tensorboard"
)

// openCurves begins a TensorBoard event file with the iterations that earlier files lack, if train.tensorboard is set.
// Errors are warnings.
func (t *Training) openCurves() {
	if !t.cfg.Config.Train.Tensorboard {
		return
	}
	past, err := checkpoint.ReadMetrics(t.dir.Path())
	if err == nil {
		t.curves, err = tensorboard.NewRecorder(t.dir.Path(), time.Now(), t.cfg.Config.YAML())
	}
	if err != nil {
		t.cfg.Warn(err)
		return
	}
	for i := range past {
		t.record(&past[i])
	}
}

func (t *Training) observe(e train.Event) {
	if e.Phase == train.PhaseDone {
		t.record(e.Metrics)
		t.warnOfOpenings(e.Metrics)
	}
	if t.cfg.Observe != nil {
		t.cfg.Observe(e)
	}
}

// record adds an iteration to the event file, which it closes at the first error.
func (t *Training) record(m *checkpoint.Metrics) {
	if t.curves != nil {
		if err := t.curves.Record(*m); err != nil {
			t.closeCurves(err)
		}
	}
}

// closeCurves closes the event file. It warns of errors, including cause unless nil.
func (t *Training) closeCurves(cause error) {
	if t.curves == nil {
		return
	}
	if err := errors.Join(cause, t.curves.Close()); err != nil {
		t.cfg.Warn(err)
	}
	t.curves = nil
}
