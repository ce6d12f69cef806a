// Package checkpoint manages the directory of a training run:
//
//	run.yaml                               the settings: every key of the configuration
//	model-00000120.safetensors             a published model, named after the iteration that made it
//	latest                                 the name of the newest published model
//	metrics.jsonl                          a line for each iteration, see Metrics
//	state/checkpoint-00000123.safetensors  what the run needs to continue after an iteration, apart from the games
//	lock                                   locked by the process that holds the directory
//
// The training process holds a Dir and commits its iterations. Others may read meanwhile, through ModelFiles,
// LoadNewest and ReadMetrics.
//
// A Checkpoint is one file, and an iteration is committed once its file exists. Files are whole or absent, see package
// atomicfile. A resumed run removes or rewrites whatever does not match the newest checkpoint. The previous checkpoint
// is kept too: if the newest is damaged, the run repeats its iteration from there with the games in its database.
package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tengen/internal/atomicfile"
	"tengen/internal/files"
	"tengen/internal/printable"
)

// Dir is a run directory locked by this process. It is not safe for concurrent use.
type Dir struct {
	layout
	unlock   func() error
	settings []byte // run.yaml, from the first Commit or Restore on
	newest   *Checkpoint
	damage   []error
	watched  map[string]fs.FileInfo // see Watch
	held     []*os.File             // open, so that no other file gets their inodes

	// Interrupt, for tests, is called before each part of a Commit. An error ends the commit there, as a kill would.
	Interrupt func(part string) error
}

// Open opens and locks the run directory at path, creating it if necessary. The first Commit or Restore writes settings
// to run.yaml. If the directory holds a run already, Open calls fits with the content of its run.yaml and its newest
// checkpoint, nil before the first. If that fails, or if all checkpoints are damaged, Open returns an error and changes
// no file of the run.
func Open(path string, settings []byte, fits func(saved []byte, newest *Checkpoint) error) (*Dir, error) {
	if err := atomicfile.MkdirAll(filepath.Join(path, stateFolder), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the run directory: %w", err)
	}
	unlock, err := Lock(path)
	if err != nil {
		return nil, err
	}
	d := &Dir{layout: layout(path), unlock: unlock, settings: settings, watched: map[string]fs.FileInfo{}, Interrupt: func(string) error { return nil }}
	d.Watch(LockFile)
	if err := d.open(fits); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// open finds the newest checkpoint and checks that the run fits.
func (d *Dir) open(fits func([]byte, *Checkpoint) error) (err error) {
	if d.newest, d.damage, err = d.readNewest(); err != nil {
		return err
	}
	saved, err := ReadConfig(d.Path())
	switch {
	case err == nil:
		err = fits(saved, d.newest)
	case d.newest != nil:
		err = fmt.Errorf("the run in %s has lost its settings: %w; %s", d.Path(), err, wayOut)
	case errors.Is(err, fs.ErrNotExist):
		err = nil // a new run
	}
	if err != nil {
		return err
	}
	return d.sweepTemporary()
}

// Watch lets Commit fail if a file in the directory is deleted or replaced from now on. Watch does not open it, so the
// process should have it open. The lock, the settings and the metrics are watched anyway.
func (d *Dir) Watch(name string) {
	d.watched[name], _ = os.Stat(d.file(name)) // a file that is missing is not in place
}

// hold watches the files that Commit and Restore have written.
func (d *Dir) hold() error {
	for _, name := range []string{ConfigFile, metricsFile} {
		f, err := files.Open(d.file(name), os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		d.held = append(d.held, f)
		d.Watch(name)
	}
	return nil
}

// inPlace returns an error if a watched file is not the same any more.
func (d *Dir) inPlace() error {
	for _, name := range slices.Sorted(maps.Keys(d.watched)) {
		now, err := os.Stat(d.file(name))
		if err != nil || !os.SameFile(now, d.watched[name]) {
			return fmt.Errorf("%s was deleted, moved or replaced while the run was training: find out "+
				"by whom, and put it back, from a copy if need be", d.file(name))
		}
	}
	return nil
}

func (d *Dir) writeSettings() error {
	return atomicfile.WriteBytes(d.file(ConfigFile), 0o644, d.settings)
}

// maxConfig is the size limit of a configuration in bytes.
const maxConfig = 1 << 20

// ReadConfig returns the content of a run directory's ConfigFile. Without one, the error wraps fs.ErrNotExist and reads
// "run.yaml: no such file or directory".
func ReadConfig(path string) ([]byte, error) {
	content, err := files.Read(layout(path).file(ConfigFile), maxConfig)
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%s: %w", ConfigFile, failed.Err)
	}
	return content, err
}

// IsRun reports whether the directory holds a run: its settings, or a checkpoint.
func IsRun(path string) bool {
	_, err := os.Lstat(layout(path).file(ConfigFile))
	return err == nil || Started(path)
}

// Started reports whether the directory has a checkpoint, damaged or not.
func Started(path string) bool {
	all, err := layout(path).checkpoints()
	return err == nil && len(all) > 0
}

// Close unlocks the directory.
func (d *Dir) Close() error {
	for _, f := range d.held {
		f.Close()
	}
	return d.unlock()
}

// Path returns the directory's path.
func (d *Dir) Path() string { return string(d.layout) }

// Newest returns the newest intact checkpoint at the time of Open, nil for a new run, and the errors of damaged ones.
func (d *Dir) Newest() (newest *Checkpoint, damage []error) { return d.newest, d.damage }

// layout is a run directory's path. Its methods know the file names.
type layout string

// LockFile is the name of a run directory's lock file.
const LockFile = "lock"

// ConfigFile is the name of the settings file.
const ConfigFile = "run.yaml"

const (
	latestFile  = "latest"
	metricsFile = "metrics.jsonl"
	stateFolder = "state"

	modelPattern      = "model-%08d.safetensors"
	checkpointPattern = stateFolder + "/checkpoint-%08d.safetensors"
)

// MaxIteration is the largest iteration number that fits in a file name.
const MaxIteration = 99_999_999

// ModelName returns the file name of an iteration's model.
func ModelName(iteration int) string { return fmt.Sprintf(modelPattern, iteration) }

// IsModelName reports whether name is a published model's file name.
func IsModelName(name string) bool {
	_, ok := number(modelPattern, name)
	return ok
}

func (l layout) file(name string) string { return filepath.Join(string(l), filepath.FromSlash(name)) }

func (l layout) model(iteration int) string { return l.file(ModelName(iteration)) }

func (l layout) checkpoint(iteration int) string {
	return l.file(fmt.Sprintf(checkpointPattern, iteration))
}

// models lists the iterations with a model, ascending.
func (l layout) models() ([]int, error) { return l.numbered(".", modelPattern) }

// checkpoints lists the iterations with a checkpoint, ascending.
func (l layout) checkpoints() ([]int, error) {
	all, err := l.numbered(stateFolder, checkpointPattern)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the folder is absent from a directory that holds only settings
	}
	return all, err
}

// latest returns the iteration of the model named in the file "latest".
func (l layout) latest() (iteration int, ok bool) {
	content, err := files.Read(l.file(latestFile), maxConfig)
	if err != nil {
		return 0, false
	}
	return number(modelPattern+"\n", string(content))
}

// numbered lists the numbers in a folder's file names that match a pattern, ascending.
func (l layout) numbered(folder, pattern string) ([]int, error) {
	entries, err := os.ReadDir(l.file(folder))
	if info, unread := os.Lstat(l.file(folder)); folder != "." && unread == nil && !info.IsDir() {
		err = fmt.Errorf("%s is a link: put the folder itself there", l.file(folder))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list the run directory: %w", err)
	}
	var numbers []int
	for _, entry := range entries {
		if n, ok := number(pattern, path.Join(folder, entry.Name())); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// number extracts the number from a file name. ok is false if the name does not have the pattern.
func number(pattern, name string) (n int, ok bool) {
	if _, err := fmt.Sscanf(name, pattern, &n); err != nil {
		return 0, false
	}
	return n, fmt.Sprintf(pattern, n) == name
}

// Held reports whether a process holds a run directory's lock, as training does. It never waits and changes nothing. A
// link, a pipe or a device in place of the lock file is no lock.
func Held(path string) bool {
	unlock, free, err := files.Share(layout(path).file(LockFile))
	defer unlock()
	return err == nil && !free
}

// Lock locks a run directory until the process ends or calls unlock. The lock file holds its number for error messages.
func Lock(path string) (unlock func() error, err error) {
	file, locked := layout(path).file(LockFile), false
	lock, err := files.Lock(file)
	for i := 0; i < 50 && !locked && err == nil; i++ { // another process may hold it for a moment, see Held
		if i > 0 {
			time.Sleep(10 * time.Millisecond)
		}
		locked, err = lock.TryLock()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot lock the run directory %s: %w", path, err)
	}
	if locked {
		if f, err := files.Open(file, os.O_WRONLY|os.O_TRUNC, 0); err == nil { // best effort
			fmt.Fprintln(f, os.Getpid())
			f.Close()
		}
		return lock.Unlock, nil
	}
	owner := "another process"
	if read, _ := lock.TryRLock(); read { // as `tengen replay verify` does
		lock.Unlock()
		owner = "a command that reads it"
	} else if pid, err := files.Read(file, 100); err == nil && len(pid) > 0 {
		owner = "process " + printable.Text(strings.TrimSpace(string(pid)), 20)
	}
	return nil, fmt.Errorf("the run directory %s is in use by %s: stop it first, or choose another directory", path, owner)
}
