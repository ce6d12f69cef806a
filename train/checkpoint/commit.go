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

// Commit makes the checkpoint's iteration the one at which the run goes on. model is the newest published one, m the
// metrics of the iteration, nil at the start of a run. All but the newest keep models are removed, unless keep is 0.
//
// Until the part "checkpoint" is done, the run goes on at the iteration before; from then on at this one, and the parts that
// follow are done again by Restore if need be.
func (d *Dir) Commit(c *Checkpoint, model *net.Model, m *Metrics, keep int) error {
	c.Format = checkpointFormat
	err := d.step(nil, "metrics", func() error { return d.commitMetrics(c, m) })
	err = d.step(err, "checkpoint", func() error { return d.writeCheckpoint(c) })
	err = d.step(err, "model", func() error { return d.commitModel(c, model) })
	err = d.step(err, "latest", func() error { return d.writeLatest(model) })
	err = d.step(err, "sweep", func() error { return d.sweep(c.Iteration, keep) })
	if err != nil {
		return fmt.Errorf("cannot write the checkpoint of iteration %d: %w; the run goes on from its last checkpoint when the "+
			"cause is mended", c.Iteration, err)
	}
	return nil
}

// step does a part of a commit, unless one before has failed.
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

// commitMetrics writes the line of metrics and brings the checkpoint's History up to date.
func (d *Dir) commitMetrics(c *Checkpoint, m *Metrics) error {
	if m == nil {
		return d.newMetrics()
	}
	c.History = m.digest(c.History)
	return d.appendMetrics(m)
}

// commitModel writes the model if the iteration made it. An older one is there already.
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

// Restore makes the directory what it was when the checkpoint was committed, after a process that was killed later. model and
// keep are those of Commit. It returns what it found damaged and could not make whole.
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

// sweep removes what is neither part of the run at the committed iteration nor to be kept: checkpoints but for those of this
// iteration and the one before, models of later iterations and, unless keep is 0, all but the newest keep models. It leaves alone
// whatever else people have put there.
func (l layout) sweep(iteration, keep int) error {
	oldest, err := l.oldestKept(iteration, keep)
	if err != nil {
		return err
	}
	return l.remove(func(name string) bool { return superseded(name, oldest, iteration) })
}

// sweepTemporary removes the temporary files of processes that were killed. Others may be at work in the directory, such as one that
// gives a worker a token, so it is for the start alone.
func (l layout) sweepTemporary() error {
	return l.remove(func(name string) bool {
		temporary, _ := path.Match(atomicfile.TempPattern, path.Base(name))
		return temporary
	})
}

// remove removes the files of the run that are unwanted.
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

// superseded reports whether a file is to be removed. Models stay from the iteration oldest to the newest.
func superseded(name string, oldest, newest int) bool {
	if n, ok := number(checkpointPattern, name); ok {
		return n < newest-1 || n > newest
	}
	n, ok := number(modelPattern, name)
	return ok && (n < oldest || n > newest)
}

// oldestKept is the iteration of the oldest of the newest keep committed models, 0 if all are kept.
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
