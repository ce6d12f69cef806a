package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tengen/internal/atomicfile"
)

// Measured are points of the model that an iteration has published, found by a command after that iteration.
type Measured struct {
	Iteration int     `json:"iteration"`
	Points    []Point `json:"points"`
}

// measuredFile is where a run directory keeps what was measured for a chart.
func measuredFile(dir, chart string) string { return filepath.Join(dir, chart+".json") }

// SaveMeasured keeps what a command has measured for a chart in a run directory, in place of what it kept there before. It returns
// the name of the file.
func SaveMeasured(dir, chart string, all []Measured) (file string, err error) {
	content, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	file = measuredFile(dir, chart)
	return file, atomicfile.WriteBytes(file, 0o644, append(content, '\n'))
}

// AddMeasured adds what commands have measured of a run's models to its lines. What is about iterations that the run does not have,
// such as those of a run that was there before, is left out.
func AddMeasured(dir string, lines []Line) ([]Line, error) {
	for _, chart := range []string{LadderChart, GradesChart} {
		content, err := os.ReadFile(measuredFile(dir, chart))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var all []Measured
		if err == nil {
			err = json.Unmarshal(content, &all)
		}
		if err != nil {
			return lines, fmt.Errorf("cannot read what was measured of the run's models, %s: %w", measuredFile(dir, chart), err)
		}
		for _, m := range all {
			lines = addPoints(lines, m.Iteration, chart, m.Points)
		}
	}
	return lines, nil
}

// addPoints adds points of a chart to the line of an iteration.
func addPoints(lines []Line, iteration int, chart string, points []Point) []Line {
	if iteration == 0 && (len(lines) == 0 || lines[0].Iteration > 0) {
		lines = slices.Insert(lines, 0, Line{Points: map[string][]Point{}})
	}
	i := slices.IndexFunc(lines, func(l Line) bool { return l.Iteration == iteration })
	if i >= 0 {
		lines[i].Points[chart] = points
	}
	return lines
}
