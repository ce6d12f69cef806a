package train

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"tengen/internal/atomicfile"
)

// Dir is a run directory, which one process at a time may hold:
//
//	config.yaml                 the configuration in effect, and again in state/config.yaml: to tell if somebody edits it
//	model-00000120.safetensors  a published model, named after the iteration that made it
//	latest                      the name of the newest published model
//	metrics.jsonl               a line for each iteration, see Metrics
//	state/state.json            how far the run has come, and the checksums of the files that it needs to go on
//	state/learner-00000123.safetensors, state/window-00000123.bin
//	lock
//
// An iteration's files are written under names of their own; then state.json is replaced, and only that commits the
// iteration. Files are whole or absent: see package atomicfile. So at any instant the directory holds one committed
// iteration, and what lies beside it is swept away when the run goes on.
type Dir struct {
	path string
	lock *flock.Flock
	// before, if set, is called before each part of a commit; its error ends the commit there as a kill would. For tests.
	before func(part string) error
}

const (
	configFile  = "config.yaml"
	latestFile  = "latest"
	metricsFile = "metrics.jsonl"
	lockFile    = "lock"
	stateFolder = "state"
	stateFile   = stateFolder + "/state.json"
	ownConfig   = stateFolder + "/config.yaml" // that of the run so far: people edit the other one

	modelPattern   = "model-%08d.safetensors"
	learnerPattern = stateFolder + "/learner-%08d.safetensors"
	windowPattern  = stateFolder + "/window-%08d.bin"
)

// OpenDir opens the run directory at path, or makes it, and takes possession of it. config becomes its config.yaml. If the
// run so far had another one, compatible says whether the run may go on under the new one: its error is returned.
func OpenDir(path string, config []byte, compatible func(saved []byte) error) (*Dir, error) {
	if err := os.MkdirAll(filepath.Join(path, stateFolder), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the run directory: %w", err)
	}
	d := &Dir{path: path, lock: flock.New(filepath.Join(path, lockFile))}
	if err := d.takeLock(); err != nil {
		return nil, err
	}
	if err := d.writeConfig(config, compatible); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Close lets other processes have the directory.
func (d *Dir) Close() error { return d.lock.Unlock() }

// Path is the directory's path.
func (d *Dir) Path() string { return d.path }

// file is the path of one of the directory's files.
func (d *Dir) file(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// takeLock locks the directory. The lock is the operating system's and ends with the process, however it ends; the
// number in the file is only there to be read by people.
func (d *Dir) takeLock() error {
	locked, err := d.lock.TryLock()
	if err != nil {
		return fmt.Errorf("cannot lock the run directory %s: %w", d.path, err)
	}
	if locked {
		os.WriteFile(d.file(lockFile), fmt.Appendln(nil, os.Getpid()), 0o644) // best effort
		return nil
	}
	owner := "another process"
	if pid, err := os.ReadFile(d.file(lockFile)); err == nil && len(pid) > 0 {
		owner = "process " + strings.TrimSpace(string(pid))
	}
	return fmt.Errorf("the run directory %s is in use by %s: stop it first, or choose another directory", d.path, owner)
}

func (d *Dir) writeConfig(config []byte, compatible func([]byte) error) error {
	saved, err := os.ReadFile(d.file(ownConfig))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("cannot read the run's configuration: %w", err)
	case bytes.Equal(saved, config):
	default:
		if err := compatible(saved); err != nil {
			return fmt.Errorf("the run in %s cannot go on under this configuration: %w", d.path, err)
		}
	}
	if err := atomicfile.WriteBytes(d.file(ownConfig), config); err != nil {
		return err
	}
	return atomicfile.WriteBytes(d.file(configFile), config)
}
