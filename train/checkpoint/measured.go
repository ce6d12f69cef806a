package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"tengen/internal/atomicfile"
	"tengen/internal/files"
)

// Measured holds a chart's points for one iteration's model, measured later by a command.
type Measured struct {
	Iteration int     `json:"iteration"`
	Points    []Point `json:"points"`
}

func measuredFile(dir, chart string) string { return filepath.Join(dir, chart+".json") }

// SaveMeasured writes a chart's measurements to a run directory, replacing earlier ones, and returns the file's path.
func SaveMeasured(dir, chart string, all []Measured) (file string, err error) {
	content, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	file = measuredFile(dir, chart)
	return file, atomicfile.WriteBytes(file, 0o644, append(content, '\n'))
}

// AddMeasured adds the saved measurements of a run's models to its lines. It skips iterations without a line.
func AddMeasured(dir string, lines []Line) ([]Line, error) {
	for _, chart := range []string{LadderChart, GradesChart} {
		content, err := files.Read(measuredFile(dir, chart), maxText)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var all []Measured
		if err == nil {
			err = json.Unmarshal(content, &all)
		}
		if err != nil {
			return lines, fmt.Errorf("cannot read %s, measurements of the run's models: %w", measuredFile(dir, chart), err)
		}
		for _, m := range all {
			if m.Iteration == 0 && (len(lines) == 0 || lines[0].Iteration > 0) {
				lines = slices.Insert(lines, 0, Line{Points: map[string][]Point{}})
			}
			if i := slices.IndexFunc(lines, func(l Line) bool { return l.Iteration == m.Iteration }); i >= 0 {
				lines[i].Points[chart] = m.Points
			}
		}
	}
	return lines, nil
}
