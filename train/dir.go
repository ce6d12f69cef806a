package train

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"tengen/internal/atomicfile"
)

// Dir is a run directory, which one process at a time may hold:
//
//	config.yaml                            the configuration in effect, for people: the checkpoints have their own
//	model-00000120.safetensors             a published model, named after the iteration that made it
//	latest                                 the name of the newest published model
//	metrics.jsonl                          a line for each iteration, see Metrics
//	state/checkpoint-00000123.safetensors  all that the run needs to go on after an iteration, apart from the games
//	lock
//
// A checkpoint is one file, see Loop.tensors and state: when it is there, the iteration is committed. Files are whole or
// absent, see package atomicfile, and what lies beside the newest checkpoint is swept away or made again when the run goes
// on. The checkpoint before stays as well: if the newest turns out to be damaged, the run goes on from there, and does the
// iteration again with the games in the log.
type Dir struct {
	path   string
	lock   *flock.Flock
	config []byte
	newest *saved  // the newest intact checkpoint when the directory was opened, nil for a new run
	damage []error // what was wrong with others
	// before, if set, is called before each part of a commit; its error ends the commit there as a kill would. For tests.
	before func(part string) error
}

const (
	configFile  = "config.yaml"
	latestFile  = "latest"
	metricsFile = "metrics.jsonl"
	lockFile    = "lock"
	stateFolder = "state"

	modelPattern      = "model-%08d.safetensors"
	checkpointPattern = stateFolder + "/checkpoint-%08d.safetensors"
)

// OpenDir opens the run directory at path, or makes it, and takes possession of it. config becomes its config.yaml. If the
// run so far had another one, compatible says whether the run may go on under the new one: its error is returned. A
// directory that has no intact checkpoint any more is refused.
func OpenDir(path string, config []byte, compatible func(saved []byte) error) (*Dir, error) {
	if err := atomicfile.MkdirAll(filepath.Join(path, stateFolder), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the run directory: %w", err)
	}
	d := &Dir{path: path, config: config, lock: flock.New(filepath.Join(path, lockFile))}
	if err := d.takeLock(); err != nil {
		return nil, err
	}
	if err := d.open(compatible); err != nil {
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

// open finds the newest checkpoint, and writes the configuration if the run may go on under it.
func (d *Dir) open(compatible func([]byte) error) (err error) {
	if d.newest, d.damage, err = d.readNewest(); err != nil {
		return err
	}
	if d.newest != nil && d.newest.Config != string(d.config) {
		if err := compatible([]byte(d.newest.Config)); err != nil {
			return fmt.Errorf("the run in %s cannot go on under this configuration: %w", d.path, err)
		}
	}
	return atomicfile.WriteBytes(d.file(configFile), 0o644, d.config)
}
