// Package tensorboard writes the charts of a run as a TensorBoard event file.
package tensorboard

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"tengen/internal/atomicfile"
	"tengen/train/checkpoint"
)

// Export writes the metrics of a run directory, or of a metrics file, into a folder without events, which it creates if
// necessary. It returns the number of iterations. The same metrics give the same bytes.
func Export(folder, run string) (iterations int, err error) {
	all, err := checkpoint.LoadMetrics(run)
	if err != nil {
		return 0, err
	}
	if err := atomicfile.MkdirAll(folder, 0o755); err != nil {
		return 0, err
	}
	const pattern = "events.out.tfevents." // TensorBoard reads all files of a folder whose names contain it
	if there, _ := fs.Glob(os.DirFS(folder), pattern+"*"); len(there) > 0 {
		return 0, fmt.Errorf("%s has events already, such as %s: name another folder", folder, there[0])
	}
	name := fmt.Sprintf("%s%010d.tengen", pattern, all[0].Time.Unix())
	return len(all), atomicfile.WriteBytes(filepath.Join(folder, name), 0o644, events(all))
}

// events returns an event file with an event for each iteration. The step of an event is the number of self-play games,
// which grows with every iteration, unlike training steps.
func events(all []checkpoint.Metrics) []byte {
	file := newRecord(firstEvent(all[0].Time))
	for _, m := range all {
		var values [][]byte
		points := checkpoint.Points(&m)
		for _, c := range checkpoint.Charts {
			for _, p := range points[c.ID] {
				values = append(values, scalars(c, p)...)
			}
		}
		file = append(file, newRecord(newEvent(m.Time, int64(m.Games), values...))...)
	}
	return file
}

// scalars returns the curves of a point: its value, tagged by group, chart and series, and the ends of its interval.
func scalars(c checkpoint.Chart, p checkpoint.Point) [][]byte {
	name, about := c.ID, c.Describe()
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
