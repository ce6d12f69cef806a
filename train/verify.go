package train

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"tengen/net"
)

// FileCheck is what Verify found out about a file.
type FileCheck struct {
	File string // its path
	Err  error  // what is wrong with it, which names it; nil if it is intact
}

// Verify reads every checkpoint and model of the run directory at path, its metrics and the name of its newest model, and
// says of each whether it is intact. It changes nothing, and holds the directory meanwhile, so that nobody else does.
func Verify(path string) ([]FileCheck, error) {
	d := &Dir{path: path, lock: flock.New(filepath.Join(path, lockFile))}
	if err := d.takeLock(); err != nil {
		return nil, err
	}
	defer d.Close()
	iterations, err := d.numbered(stateFolder, checkpointPattern)
	if err != nil {
		return nil, err
	}
	models, err := d.models()
	if err != nil {
		return nil, err
	}
	if len(iterations)+len(models) == 0 {
		return nil, fmt.Errorf("the directory %s has neither checkpoints nor models: it is no run directory", path)
	}
	var checks []FileCheck
	var newest *state
	for _, n := range iterations {
		file := d.file(fmt.Sprintf(checkpointPattern, n))
		s, err := d.readCheckpoint(n)
		if err == nil && s.Iteration != n {
			err = fmt.Errorf("%s is the checkpoint of iteration %d", file, s.Iteration)
		}
		if err == nil {
			newest = &s.state
		}
		checks = append(checks, FileCheck{file, err})
	}
	if newest != nil && !slices.Contains(models, newest.Published.Iteration) {
		models = append(models, newest.Published.Iteration)
	}
	for _, n := range models {
		file := filepath.Join(path, ModelName(n))
		checks = append(checks, FileCheck{file, verifyModel(file, n)})
	}
	if newest != nil {
		checks = append(checks,
			FileCheck{d.file(latestFile), d.verifyLatest(slices.Max(models))},
			FileCheck{d.file(metricsFile), d.verifyMetrics(newest)})
	}
	return checks, nil
}

func verifyModel(file string, iteration int) error {
	m, err := net.LoadModel(file)
	if err == nil && m.Iteration != iteration {
		return fmt.Errorf("%s is the model of iteration %d", file, m.Iteration)
	}
	return err
}

func (d *Dir) verifyLatest(newest int) error {
	if n, ok := readLatest(d.path); !ok || n != newest {
		return fmt.Errorf("%s does not name %s, the newest model", d.file(latestFile), ModelName(newest))
	}
	return nil
}

func (d *Dir) verifyMetrics(s *state) error {
	content, err := os.ReadFile(d.file(metricsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, digest := committedLines(content, s.Iteration); digest != s.History {
		return fmt.Errorf("%s is damaged: some of its lines are missing or altered", d.file(metricsFile))
	}
	return nil
}
