package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/rogpeppe/go-internal/robustio"

	"tengen/internal/atomicfile"
	"tengen/net"
)

// Commit commits the checkpoint's iteration. model is the newest published model, m the iteration's metrics, nil at the
// start of a run. Commit keeps the newest keep models, all if keep is 0.
//
// If the process ends before the checkpoint is written, the run continues from the previous iteration. If it ends
// later, the run continues from this one, and Restore repeats the remaining parts.
func (d *Dir) Commit(c *Checkpoint, model *net.Model, m *Metrics, keep int) error {
	c.Format = Format
	file, err := model.MarshalBinary()
	if err != nil {
		return err
	}
	c.Published.SHA256 = digest(file)
	if c.Iteration == 0 {
		c.Before = c.Published.ModelFile
	}
	for _, part := range []struct {
		name string
		do   func() error
	}{
		{"check", d.inPlace},
		{"metrics", func() error { return d.commitMetrics(c, m) }},
		{"checkpoint", func() error { return d.writeCheckpoint(c) }},
		{"model", func() error { return atomicfile.WriteBytes(d.model(model.Iteration), 0o644, file) }},
		{"latest", func() error { return d.writeLatest(model.Iteration) }},
		{"sweep", func() error { return d.sweep(c.Iteration, keep) }},
	} {
		err := d.Interrupt(part.name)
		if err == nil {
			err = part.do()
		}
		if err != nil {
			return fmt.Errorf("%w; the run continues from its last checkpoint once you have fixed the cause", err)
		}
	}
	return nil
}

func (d *Dir) commitMetrics(c *Checkpoint, m *Metrics) error {
	if m == nil {
		return errors.Join(d.writeSettings(), atomicfile.WriteBytes(d.file(metricsFile), 0o644, nil), d.hold())
	}
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.History = chain(c.History, line)
	return d.appendMetrics(line)
}

func (l layout) writeLatest(iteration int) error {
	return atomicfile.WriteBytes(l.file(latestFile), 0o644, fmt.Appendln(nil, ModelName(iteration)))
}

// Restore returns the directory to the checkpoint's state, with Open's settings. model and keep are as in Commit.
// damage describes lost metrics, which it cannot repair.
func (d *Dir) Restore(c *Checkpoint, model *net.Model, keep int) (damage, err error) {
	intact, err := d.trimMetrics(c)
	if err != nil {
		return nil, err
	}
	if !intact {
		damage = fmt.Errorf("%s is damaged: some of its lines are missing or altered; the others are kept", d.file(metricsFile))
	}
	if err := errors.Join(d.writeSettings(), model.Save(d.model(model.Iteration)), d.writeLatest(model.Iteration), d.hold()); err != nil {
		return nil, err
	}
	return damage, d.sweep(c.Iteration, keep)
}

// sweep removes checkpoints other than this iteration's and the previous one's, and models of later iterations. Unless
// keep is 0, it also removes all but the newest keep models.
func (l layout) sweep(iteration, keep int) error {
	models, err := l.models()
	if err != nil {
		return err
	}
	checkpoints, err := l.checkpoints()
	if err != nil {
		return err
	}
	oldest, later := 0, 0 // indices in models: the first to keep, the first of a later iteration
	if later, _ = slices.BinarySearch(models, iteration+1); keep > 0 {
		oldest = max(0, later-keep)
	}
	var unwanted []string
	for _, n := range slices.Concat(models[:oldest], models[later:]) {
		unwanted = append(unwanted, l.model(n))
	}
	for _, n := range checkpoints {
		if n < iteration-1 || n > iteration {
			unwanted = append(unwanted, l.checkpoint(n))
		}
	}
	return removeFiles(unwanted)
}

// sweepTemporary removes temporary files of killed processes. It is called only when a run starts: it also removes those
// of commands that write without the run's lock just then, which fail.
func (l layout) sweepTemporary() error {
	var unwanted []string
	for _, folder := range []string{".", stateFolder} {
		names, err := fs.Glob(os.DirFS(string(l)), path.Join(folder, atomicfile.TempPattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			unwanted = append(unwanted, l.file(name))
		}
	}
	return removeFiles(unwanted)
}

// removeFiles removes files. Another process may already have removed some, or may read one, see atomicfile.Rename.
func removeFiles(files []string) error {
	for _, file := range files {
		if err := robustio.RemoveAll(file); err != nil {
			return fmt.Errorf("cannot remove an outdated file: %w", err)
		}
	}
	return nil
}
