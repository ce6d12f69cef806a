package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"tengen/internal/atomicfile"
	"tengen/internal/files"
)

// Owns reports whether Copy handles the file or folder with this name in a run directory.
func Owns(name string) bool {
	return IsModelName(name) || slices.Contains([]string{ConfigFile, latestFile, metricsFile, stateFolder}, name)
}

// Copy copies a run to another folder and returns the iteration of the newest intact checkpoint. It copies this
// checkpoint and the previous one, the models and metrics up to it, and the settings. Another process may be training.
// Once the checkpoints are copied, Copy calls games, which reports whether it has all games of the window. If some are
// missing and the run has committed meanwhile, Copy starts again. It waits a little for the checkpoint's model, then
// returns an error.
func Copy(ctx context.Context, from, to string, games func(*Checkpoint) (whole bool, err error)) (iteration int, err error) {
	l, copied := layout(from), layout(to)
	if err := atomicfile.MkdirAll(copied.file(stateFolder), 0o755); err != nil {
		return 0, err
	}
	for looks := 1; ctx.Err() == nil; looks++ {
		before, err := l.checkpoints()
		if err != nil {
			return 0, cannotCopy(from, err)
		}
		c, whole, err := l.copyState(copied, games)
		gone := errors.Is(err, fs.ErrNotExist)
		if err != nil && !gone {
			return 0, cannotCopy(from, err)
		}
		now, listErr := l.checkpoints()
		switch {
		case (gone || !whole) && listErr == nil && !slices.Equal(before, now): // the run has committed
			looks = 0
		case !gone:
			return c.Iteration, nil
		case looks == copyLooks:
			return 0, cannotCopy(from, err)
		default: // the run may be in the middle of a commit
			select {
			case <-ctx.Done():
			case <-time.After(copyPause):
			}
		}
	}
	return 0, ctx.Err()
}

// Copy looks for missing files at most copyLooks times, copyPause apart, while the run commits nothing.
const (
	copyLooks = 20
	copyPause = 25 * time.Millisecond
)

func cannotCopy(from string, err error) error {
	return fmt.Errorf("cannot copy the run in %s: %w", from, err)
}

// copyState copies the checkpoints, calls games, and copies the models, the metrics and the settings.
func (l layout) copyState(to layout, games func(*Checkpoint) (bool, error)) (c *Checkpoint, whole bool, err error) {
	if c, err = l.copyCheckpoint(to); err != nil {
		return nil, false, err
	}
	if whole, err = games(c); err != nil {
		return nil, false, err
	}
	return c, whole, l.copyModels(c, to)
}

// copyCheckpoint copies two checkpoints, the newest one whose model is written and the previous one, and returns the
// newer. The error wraps fs.ErrNotExist if the run removed the checkpoint meanwhile.
func (l layout) copyCheckpoint(to layout) (*Checkpoint, error) {
	newest, _, err := l.readNewest()
	if err != nil {
		return nil, err
	}
	if newest == nil {
		return nil, errors.New("it has no checkpoint yet")
	}
	c := newest
	if _, err := os.Stat(l.model(c.Published.Iteration)); err != nil && c.Iteration > 0 {
		if before, err := l.readCheckpoint(c.Iteration - 1); err == nil {
			c = before
		}
	}
	for n := max(0, c.Iteration-1); n <= c.Iteration; n++ {
		err := copyFile(l.checkpoint(n), to.checkpoint(n))
		if err != nil && !(n < c.Iteration && errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
	}
	return c, nil
}

// copyModels copies the models and metrics up to a checkpoint, and the settings. It skips models removed meanwhile, but
// not the checkpoint's own.
func (l layout) copyModels(c *Checkpoint, to layout) error {
	models, err := l.models()
	if err != nil {
		return err
	}
	newer, _ := slices.BinarySearch(models, c.Iteration+1)
	for _, n := range models[:newer] {
		if err := copyFile(l.model(n), to.model(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	own := c.Published.Iteration
	if _, err := os.Stat(to.model(own)); err != nil {
		return fmt.Errorf("%s, the model of its checkpoint, is missing (continue the run, which writes it again): %w",
			ModelName(own), fs.ErrNotExist)
	}
	metrics, err := l.metrics()
	if err != nil {
		return err
	}
	committed, _ := committedLines(metrics, c.Iteration)
	return errors.Join(
		atomicfile.WriteBytes(to.file(metricsFile), 0o644, committed),
		to.writeLatest(own),
		copyFile(l.file(ConfigFile), to.file(ConfigFile)),
	)
}

func copyFile(from, to string) error {
	content, err := files.Read(from, maxCheckpoint)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(to, 0o644, content)
}
