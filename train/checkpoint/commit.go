package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"tengen/internal/atomicfile"
	"tengen/net"
)

// Commit commits the checkpoint's iteration. model is the newest published model, m the iteration's metrics, nil at the
// start of a run. Commit keeps the newest keep models, all if keep is 0.
//
// A run interrupted before the checkpoint is written continues from the previous iteration, later from this one:
// Restore repeats the remaining parts.
func (d *Dir) Commit(c *Checkpoint, model *net.Model, m *Metrics, keep int) error {
	c.Format = checkpointFormat
	err := d.step(nil, "metrics", func() error { return d.commitMetrics(c, m) })
	err = d.step(err, "checkpoint", func() error { return d.writeCheckpoint(c) })
	err = d.step(err, "model", func() error { return d.commitModel(c, model) })
	err = d.step(err, "latest", func() error { return d.writeLatest(model) })
	err = d.step(err, "sweep", func() error { return d.sweep(c.Iteration, keep) })
	if err != nil {
		return fmt.Errorf("cannot write the checkpoint of iteration %d: %w; the run continues from its last checkpoint once "+
			"you have fixed the cause", c.Iteration, err)
	}
	return nil
}

// step runs one part of a commit, unless an earlier part failed.
func (d *Dir) step(failed error, part string, do func() error) error {
	if failed != nil {
		return failed
	}
	var err error
	if d.Interrupt != nil {
		err = d.Interrupt(part)
	}
	if err == nil {
		err = do()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", part, err)
	}
	return nil
}

func (d *Dir) commitMetrics(c *Checkpoint, m *Metrics) error {
	if m == nil {
		return atomicfile.WriteBytes(d.file(metricsFile), 0o644, nil)
	}
	c.History = m.digest(c.History)
	return d.appendMetrics(m)
}

// commitModel writes the model if this iteration made it.
func (d *Dir) commitModel(c *Checkpoint, model *net.Model) error {
	if model.Iteration < c.Iteration {
		return nil
	}
	return d.writeModel(model)
}

func (l layout) writeModel(m *net.Model) error { return m.Save(l.model(m.Iteration)) }

func (l layout) writeLatest(m *net.Model) error {
	return atomicfile.WriteBytes(l.file(latestFile), 0o644, fmt.Appendln(nil, ModelName(m.Iteration)))
}

// Restore returns the directory to the checkpoint's state. model and keep are as in Commit. damage is what it could not
// repair.
func (d *Dir) Restore(c *Checkpoint, model *net.Model, keep int) (damage, err error) {
	intact, err := d.trimMetrics(c)
	if err != nil {
		return nil, err
	}
	if !intact {
		damage = fmt.Errorf("%s is damaged: some of its lines are missing or altered, what is left is kept", d.file(metricsFile))
	}
	if err := d.writeModel(model); err != nil {
		return nil, err
	}
	if err := d.writeLatest(model); err != nil {
		return nil, err
	}
	return damage, d.sweep(c.Iteration, keep)
}

// sweep removes all checkpoints but this iteration's and the previous one's, later models and, unless keep is 0, all
// but the newest keep models.
func (l layout) sweep(iteration, keep int) error {
	oldest, err := l.oldestKept(iteration, keep)
	if err != nil {
		return err
	}
	return l.remove(func(name string) bool { return superseded(name, oldest, iteration) })
}

// sweepTemporary removes temporary files of killed processes. It is safe only when a run starts: later, another process
// may be writing.
func (l layout) sweepTemporary() error {
	return l.remove(func(name string) bool {
		temporary, _ := path.Match(atomicfile.TempPattern, path.Base(name))
		return temporary
	})
}

func (l layout) remove(unwanted func(name string) bool) error {
	for _, folder := range []string{".", stateFolder} {
		names, err := l.list(folder)
		if err != nil {
			return err
		}
		for _, name := range names {
			name = path.Join(folder, name)
			if !unwanted(name) {
				continue
			}
			if err := os.Remove(l.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("cannot clear away what an earlier iteration or process has left: %w", err)
			}
		}
	}
	return nil
}

// superseded reports whether sweep removes a file. Models from iterations oldest to newest stay.
func superseded(name string, oldest, newest int) bool {
	if n, ok := number(checkpointPattern, name); ok {
		return n < newest-1 || n > newest
	}
	n, ok := number(modelPattern, name)
	return ok && (n < oldest || n > newest)
}

// oldestKept returns the iteration of the oldest committed model to keep, 0 to keep all.
func (l layout) oldestKept(iteration, keep int) (int, error) {
	models, err := l.models()
	if err != nil || keep == 0 {
		return 0, err
	}
	models = slices.DeleteFunc(models, func(n int) bool { return n > iteration })
	if len(models) <= keep {
		return 0, nil
	}
	return models[len(models)-keep], nil
}
