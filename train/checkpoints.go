package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Checkpoint is a published model of a run.
type Checkpoint struct {
	Iteration int
	File      string        // path of the model
	Games     uint64        // self-play games up to it
	Time      time.Duration // spent on self-play and learning up to it
}

// Checkpoints lists the models in a run directory, the oldest first. Another process may hold the directory.
func Checkpoints(path string) ([]Checkpoint, error) {
	models, err := (&Dir{path: path}).models()
	if err != nil {
		return nil, err
	}
	if len(models) == 0 {
		return nil, fmt.Errorf("the directory %s has no model: it is no run directory", path)
	}
	metrics, err := ReadMetrics(path)
	if err != nil {
		return nil, err
	}
	checkpoints := make([]Checkpoint, len(models))
	for i, n := range models {
		checkpoints[i] = Checkpoint{Iteration: n, File: filepath.Join(path, ModelName(n))}
		for _, m := range metrics {
			if m.Iteration <= n {
				checkpoints[i].Games = m.Games
				checkpoints[i].Time += time.Duration((m.Seconds.SelfPlay + m.Seconds.Train) * float64(time.Second))
			}
		}
	}
	return checkpoints, nil
}

// ReadMetrics returns the lines of a run directory's metrics.jsonl, none if there is no such file. It leaves out what is
// no such line, as a process that was killed may leave behind.
func ReadMetrics(path string) ([]Metrics, error) {
	content, err := os.ReadFile(filepath.Join(path, metricsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the run's metrics: %w", err)
	}
	var all []Metrics
	for line := range bytes.Lines(content) {
		var m Metrics
		if json.Unmarshal(line, &m) == nil && m.Iteration > 0 {
			all = append(all, m)
		}
	}
	return all, nil
}
