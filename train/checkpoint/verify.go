package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"tengen/internal/files"
)

// FileCheck is Verify's result for one file.
type FileCheck struct {
	File string
	Err  error // names the file; nil if it is intact
}

// Verify checks all checkpoints and models of the run directory at path, its metrics and its file "latest", and changes
// nothing. known has the SHA-256 of model files by name; the checkpoint and the metrics tell more. newest is the newest
// intact checkpoint, nil if there is none. If another process holds the directory, Verify skips files that vanish
// meanwhile, the metrics and "latest". What a kill left to be written by the next start is no damage.
func Verify(path string, known map[string]string) (checks []FileCheck, newest *Checkpoint, err error) {
	l := layout(path)
	unlock, still, err := files.Share(l.file(LockFile)) // still: no other process changes the directory
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	check := func(file string, err error) {
		if still || !errors.Is(err, fs.ErrNotExist) {
			checks = append(checks, FileCheck{file, err})
		}
	}
	iterations, err := l.checkpoints()
	if err != nil {
		return nil, nil, err
	}
	models, err := l.models()
	if err != nil {
		return nil, nil, err
	}
	if len(models) == 0 && !IsRun(path) {
		return nil, nil, fmt.Errorf("the directory %s has neither checkpoints nor models: it is not a run directory", path)
	}
	for _, n := range iterations {
		c, err := l.readCheckpoint(n)
		if err == nil {
			newest = c
		}
		check(l.checkpoint(n), err)
	}
	if err := l.checkUnused(); len(iterations) == 0 && err != nil {
		check(l.file(stateFolder), err)
	}
	finished := newest != nil && !l.unfinished(newest)
	if finished && !slices.Contains(models, newest.Published.Iteration) {
		models = append(models, newest.Published.Iteration)
	}
	told := newest.KnownModels(path)
	for _, n := range models {
		_, err := l.readModel(ModelFile{n, cmp.Or(told[ModelName(n)], known[ModelName(n)])})
		check(l.model(n), err)
	}
	if finished && still {
		check(l.file(latestFile), l.verifyLatest(slices.Max(models)))
	}
	if newest != nil && still {
		check(l.file(metricsFile), l.verifyMetrics(newest))
	}
	return checks, newest, nil
}

// unfinished reports whether a kill cut the checkpoint's commit short, so that "latest" and perhaps the model are not
// written yet. The run then writes them when it continues.
func (l layout) unfinished(c *Checkpoint) bool {
	n, ok := l.latest()
	if c.Iteration == 0 {
		return !ok
	}
	return ok && n == c.Before.Iteration && c.Published.Iteration == c.Iteration
}

func (l layout) verifyLatest(newest int) error {
	if n, ok := l.latest(); !ok || n != newest {
		return fmt.Errorf("%s does not name %s, the newest model", l.file(latestFile), ModelName(newest))
	}
	return nil
}

func (l layout) verifyMetrics(newest *Checkpoint) error {
	content, err := l.metrics()
	if err != nil {
		return err
	}
	if _, history := committedLines(content, newest.Iteration); history != newest.History {
		return fmt.Errorf("%s is damaged: some of its lines are missing or altered", l.file(metricsFile))
	}
	return nil
}
