package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"tengen/internal/files"
)

// FileCheck is Verify's result for one file.
type FileCheck struct {
	File string
	Err  error // names the file; nil if it is intact
}

// Verify checks all checkpoints and models of the run directory at path, and changes nothing. known has the SHA-256 of
// model files by name; the checkpoint tells more. newest is the newest intact checkpoint, nil if there is none. If
// another process holds the directory, Verify skips files that vanish meanwhile.
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
	told := newest.KnownModels()
	for _, n := range models {
		_, err := l.readModel(ModelFile{n, cmp.Or(told[ModelName(n)], known[ModelName(n)])})
		check(l.model(n), err)
	}
	return checks, newest, nil
}
