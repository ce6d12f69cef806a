// Package checkpoint is the directory of a training run:
//
//	run.yaml                               the settings: every key of the configuration
//	model-00000120.safetensors             a published model, named after the iteration that made it
//	latest                                 the name of the newest published model
//	metrics.jsonl                          a line for each iteration, see Metrics
//	state/checkpoint-00000123.safetensors  all that the run needs to go on after an iteration, apart from the games
//	lock                                   locked by the process that holds the directory
//
// The run itself holds a Dir, as one process at a time may, and commits its iterations. Models, ModelFile and ReadMetrics read
// the directory beside it.
//
// A Checkpoint is one file: when it is there, the iteration is committed. Files are whole or absent, see package atomicfile,
// and what lies beside the newest checkpoint is swept away or made again when the run goes on. The checkpoint before stays as
// well: if the newest turns out to be damaged, the run goes on from there, and does the iteration again with the games in its
// database.
package checkpoint

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"tengen/internal/atomicfile"
)

// Dir is a run directory in the possession of this process. It is not safe for concurrent use.
type Dir struct {
	layout
	lock   *flock.Flock
	newest *Checkpoint
	damage []error

	// Interrupt, if set, is called before each part of a Commit; its error ends the commit there as a kill would. It is for
	// tests.
	Interrupt func(part string) error
}

// Open opens the run directory at path, or makes it, and locks it. settings becomes its run.yaml. If a run has begun there with
// other settings, Open returns the error of compatible, if any, and changes nothing. It refuses a directory whose checkpoints
// are all damaged.
func Open(path string, settings []byte, compatible func(saved []byte) error) (*Dir, error) {
	if err := atomicfile.MkdirAll(filepath.Join(path, stateFolder), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the run directory: %w", err)
	}
	lock, err := layout(path).takeLock()
	if err != nil {
		return nil, err
	}
	d := &Dir{layout: layout(path), lock: lock}
	if err := d.open(settings, compatible); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// open finds the newest checkpoint, and writes the settings if the run may continue with them.
func (d *Dir) open(settings []byte, compatible func([]byte) error) (err error) {
	if d.newest, d.damage, err = d.readNewest(); err != nil {
		return err
	}
	if d.newest != nil {
		saved, err := os.ReadFile(d.file(ConfigFile))
		if err != nil {
			return fmt.Errorf("the run in %s has lost its settings: %w; %s", d.Path(), err, wayOut)
		}
		if !bytes.Equal(saved, settings) {
			if err := compatible(saved); err != nil {
				return err
			}
		}
	}
	if err := d.sweepTemporary(); err != nil {
		return err
	}
	return atomicfile.WriteBytes(d.file(ConfigFile), 0o644, settings)
}

// Begun reports whether a run has begun in the directory at path: whether there is a checkpoint, damaged or not.
func Begun(path string) bool {
	all, err := layout(path).checkpoints()
	return err == nil && len(all) > 0
}

// Lock takes possession of a run directory without opening it. unlock lets other processes have it.
func Lock(path string) (unlock func() error, err error) {
	lock, err := layout(path).takeLock()
	if err != nil {
		return nil, err
	}
	return lock.Unlock, nil
}

// Close lets other processes have the directory.
func (d *Dir) Close() error { return d.lock.Unlock() }

// Path is the directory's path.
func (d *Dir) Path() string { return string(d.layout) }

// Newest returns what was the newest intact checkpoint when the directory was opened, nil for a new run, and what is wrong with
// the others.
func (d *Dir) Newest() (newest *Checkpoint, damage []error) { return d.newest, d.damage }

// layout is the path of a run directory. It knows what the files there are called.
type layout string

// LockFile is the name of the file that the process which holds a run directory has locked.
const LockFile = "lock"

// ConfigFile is the name of the file with a run's settings.
const ConfigFile = "run.yaml"

const (
	latestFile  = "latest"
	metricsFile = "metrics.jsonl"
	stateFolder = "state"

	modelPattern      = "model-%08d.safetensors"
	checkpointPattern = stateFolder + "/checkpoint-%08d.safetensors"
)

// MaxIteration is the largest number of an iteration that the names of files have room for.
const MaxIteration = 99_999_999

// ModelName is the name of the file with the model that an iteration has published.
func ModelName(iteration int) string { return fmt.Sprintf(modelPattern, iteration) }

// IsModelName reports whether a name is that of a file with a published model, as the opponents of evaluations are called that
// are earlier models of the run.
func IsModelName(name string) bool {
	_, ok := number(modelPattern, name)
	return ok
}

// file is the path of one of the directory's files.
func (l layout) file(name string) string { return filepath.Join(string(l), filepath.FromSlash(name)) }

// model is the path of an iteration's model.
func (l layout) model(iteration int) string { return l.file(ModelName(iteration)) }

// checkpoint is the path of an iteration's checkpoint.
func (l layout) checkpoint(iteration int) string {
	return l.file(fmt.Sprintf(checkpointPattern, iteration))
}

// models lists the iterations that have a model, ascending.
func (l layout) models() ([]int, error) { return l.numbered(".", modelPattern) }

// checkpoints lists the iterations that have a checkpoint, ascending.
func (l layout) checkpoints() ([]int, error) { return l.numbered(stateFolder, checkpointPattern) }

// latest is the iteration of the model that the file "latest" names.
func (l layout) latest() (iteration int, ok bool) {
	content, err := os.ReadFile(l.file(latestFile))
	if err != nil {
		return 0, false
	}
	return number(modelPattern+"\n", string(content))
}

// numbered lists the numbers in the names of the files in a folder that were made from a pattern, ascending.
func (l layout) numbered(folder, pattern string) ([]int, error) {
	names, err := l.list(folder)
	var numbers []int
	for _, name := range names {
		if n, ok := number(pattern, path.Join(folder, name)); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// list returns the names of the files in one of the directory's folders.
func (l layout) list(folder string) ([]string, error) {
	entries, err := os.ReadDir(l.file(folder))
	if err != nil {
		return nil, fmt.Errorf("cannot list the run directory: %w", err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}

// number reads the number in a name that was made from a pattern.
func number(pattern, name string) (n int, ok bool) {
	if _, err := fmt.Sscanf(name, pattern, &n); err != nil {
		return 0, false
	}
	return n, fmt.Sprintf(pattern, n) == name
}

// takeLock locks the directory. The lock is the operating system's and ends with the process, however it ends; the
// number in the file is only there to be read by people.
func (l layout) takeLock() (*flock.Flock, error) {
	lock := flock.New(l.file(LockFile))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("cannot lock the run directory %s: %w", string(l), err)
	}
	if locked {
		os.WriteFile(l.file(LockFile), fmt.Appendln(nil, os.Getpid()), 0o644) // best effort
		return lock, nil
	}
	owner := "another process"
	if pid, err := os.ReadFile(l.file(LockFile)); err == nil && len(pid) > 0 {
		owner = "process " + strings.TrimSpace(string(pid))
	}
	return nil, fmt.Errorf("the run directory %s is in use by %s: stop it first, or choose another directory", string(l), owner)
}
