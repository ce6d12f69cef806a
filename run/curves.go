package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tengen/train"
	"tengen/train/checkpoint"
	"tengen/train/tensorboard"
)

// openCurves begins the run's next event file for TensorBoard, if it is to have any, with the iterations that are committed and
// not in those before. A run can do without it: what goes wrong is a warning.
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

// observe is train.Setup.Observe: it records iterations before it passes them on.
func (t *Training) observe(e train.Event) {
	if e.Phase == train.PhaseDone {
		t.record(e.Metrics)
	}
	if t.cfg.Observe != nil {
		t.cfg.Observe(e)
	}
}

// record adds an iteration to the event file. After an error, such as a full disk, the process writes no more of it: the next one
// makes up for that.
func (t *Training) record(m *checkpoint.Metrics) {
	if t.curves == nil {
		return
	}
	if err := t.curves.Record(*m); err != nil {
		t.closeCurves(err)
	}
}

// closeCurves ends the event file, and tells why unless it is nil.
func (t *Training) closeCurves(why error) {
	if t.curves == nil {
		return
	}
	if err := errors.Join(why, t.curves.Close()); err != nil {
		t.cfg.Warn(err)
	}
	t.curves = nil
}

// ExportTensorboard writes the metrics of a run, given by its directory or by a file as its metrics.jsonl, as event files for
// TensorBoard into a folder that has none yet. It returns the number of iterations.
func ExportTensorboard(run, folder string) (iterations int, err error) {
	all, err := checkpoint.LoadMetrics(run)
	if err != nil {
		return 0, err
	}
	var config []byte // a file by itself has none
	if info, err := os.Stat(run); err == nil && info.IsDir() {
		if config, err = os.ReadFile(filepath.Join(run, checkpoint.ConfigFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	return len(all), tensorboard.Export(folder, all, config)
}
