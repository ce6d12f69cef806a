// Package tensorboard writes the charts of runs as TensorBoard event files.
package tensorboard

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"tengen/internal/atomicfile"
	"tengen/train/checkpoint"
)

// Recorder writes a run's iterations as TensorBoard events. An event's step is the number of self-play games, which
// grows with every iteration, unlike training steps. A Recorder is not safe for concurrent use.
type Recorder struct {
	file *os.File
	last int64 // highest step in the folder, -1 if there is none
}

// NewRecorder creates an event file in a folder. begun is the time in its name, unless the file must be later to follow
// existing ones. If the folder has no events, NewRecorder first writes config as a text.
func NewRecorder(folder string, begun time.Time, config []byte) (*Recorder, error) {
	r, err := create(folder, begun)
	if err != nil {
		return nil, fmt.Errorf("cannot begin an event file for TensorBoard: %w", err)
	}
	if r.last < 0 && len(config) > 0 {
		code := "    " + strings.ReplaceAll(strings.TrimRight(string(config), "\n"), "\n", "\n    ") // in Markdown
		if err := r.write(begun, 0, text("config", code)); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	return r, nil
}

// Record writes an iteration, unless the folder already has it or a later one.
func (r *Recorder) Record(m checkpoint.Metrics) error {
	if int64(m.Games) <= r.last {
		return nil
	}
	var values [][]byte
	points := checkpoint.Points(&m)
	for _, c := range checkpoint.Charts {
		for _, p := range points[c.ID] {
			values = append(values, scalars(c, p)...)
		}
	}
	return r.write(m.Time, int64(m.Games), values...)
}

// write appends an event in a single write, which readers see whole or not at all.
func (r *Recorder) write(at time.Time, step int64, values ...[]byte) error {
	if _, err := r.file.Write(newRecord(newEvent(at, step, values...))); err != nil {
		return fmt.Errorf("cannot write events for TensorBoard: %w", err)
	}
	r.last = max(r.last, step)
	return nil
}

// Close flushes the file to disk and closes it.
func (r *Recorder) Close() error { return errors.Join(r.file.Sync(), r.file.Close()) }

// ExportRun is Export for a run directory or a metrics file. It returns the number of iterations.
func ExportRun(folder, run string) (iterations int, err error) {
	all, err := checkpoint.LoadMetrics(run)
	if err != nil {
		return 0, err
	}
	config, _ := checkpoint.ReadConfig(run) // nil if run is a file
	return len(all), Export(folder, all, config)
}

// Export writes a run's metrics into a folder without events, which it creates if necessary. The same metrics give the
// same bytes.
func Export(folder string, all []checkpoint.Metrics, config []byte) error {
	if err := atomicfile.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	files, err := Files(folder)
	if err != nil {
		return err
	}
	if len(files) > 0 {
		return fmt.Errorf("%s has events already, such as %s: name another folder", folder, files[0])
	}
	begun := time.Unix(0, 0)
	if len(all) > 0 {
		begun = all[0].Time
	}
	r, err := NewRecorder(folder, begun, config)
	if err != nil {
		return err
	}
	for _, m := range all {
		if err := r.Record(m); err != nil {
			return errors.Join(err, r.Close())
		}
	}
	return r.Close()
}

// scalars returns the curves of a point: its value, tagged by group, chart and series, and the ends of its interval.
func scalars(c checkpoint.Chart, p checkpoint.Point) [][]byte {
	name, about := c.ID, c.Name+": "+c.About
	if c.Unit != "" {
		about = c.Name + ", " + c.Unit + ": " + c.About
	}
	if p.Series != "" {
		name += "/" + strings.Trim(unusual.ReplaceAllString(p.Series, "_"), "_")
	}
	list := [][]byte{scalar(strings.ToLower(string(c.Group))+"/"+name, p.Value, about)}
	if p.Interval != nil {
		list = append(list,
			scalar("intervals/"+name+"/low", p.Interval[0], about),
			scalar("intervals/"+name+"/high", p.Interval[1], about))
	}
	return list
}

var unusual = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)
