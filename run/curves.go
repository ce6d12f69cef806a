package run

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"tengen/train"
	"tengen/train/checkpoint"
	"tengen/train/tensorboard"
)

// openCurves starts a TensorBoard event file if train.tensorboard is set, and adds the committed iterations that
// earlier files lack. Errors are only warnings, because training does not need the file.
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

// observe is train.Setup.Observe. It records iterations before it passes events on.
func (t *Training) observe(e train.Event) {
	if e.Phase == train.PhaseDone {
		t.record(e.Metrics)
	}
	if t.cfg.Observe != nil {
		t.cfg.Observe(e)
	}
}

// record adds an iteration to the event file. After an error, such as a full disk, this process writes no more of the
// file; the next process adds what is missing.
func (t *Training) record(m *checkpoint.Metrics) {
	if t.curves == nil {
		return
	}
	if err := t.curves.Record(*m); err != nil {
		t.closeCurves(err)
	}
}

// closeCurves closes the event file and warns of why, if not nil.
func (t *Training) closeCurves(why error) {
	if t.curves == nil {
		return
	}
	if err := errors.Join(why, t.curves.Close()); err != nil {
		t.cfg.Warn(err)
	}
	t.curves = nil
}

// ExportTensorboard writes a run's metrics as TensorBoard event files to a folder that has none yet. run is the run
// directory or a file such as its metrics.jsonl. It returns the number of iterations.
func ExportTensorboard(run, folder string) (iterations int, err error) {
	all, err := checkpoint.LoadMetrics(run)
	if err != nil {
		return 0, err
	}
	var config []byte // stays nil if run is a file
	if info, err := os.Stat(run); err == nil && info.IsDir() {
		if config, err = checkpoint.ReadConfig(run); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	return len(all), tensorboard.Export(folder, all, config)
}
