package train

import (
	"fmt"

	"tengen/internal/atomicfile"
	"tengen/net"
)

// checkpoint is what a commit writes.
type checkpoint struct {
	state   state      // Files is filled in by the commit
	model   *net.Model // published by this iteration; nil when it published none
	learner *Learner
	window  Window
	metrics *Metrics // nil for the start of a run
}

// commit makes an iteration the one at which the run goes on. Until the part "state" is done, that is the iteration
// before; from then on it is this one, and the parts that follow are done again by tidy if need be. It returns the
// state as committed.
func (d *Dir) commit(c checkpoint, keep int) (state, error) {
	model := fmt.Sprintf(modelPattern, c.state.Model)
	learner := fmt.Sprintf(learnerPattern, c.state.Iteration)
	window := fmt.Sprintf(windowPattern, c.state.Iteration)
	for _, part := range []struct {
		name string
		do   func() error
	}{
		{"model", func() error {
			if c.model == nil {
				return nil
			}
			return c.model.Save(d.file(model))
		}},
		{"learner", func() error { return c.learner.save(d.file(learner)) }},
		{"window", func() error { return atomicfile.Write(d.file(window), c.window.WriteSnapshot) }},
		{"metrics", func() error {
			if c.metrics == nil {
				return nil
			}
			return d.appendMetrics(c.metrics)
		}},
		{"state", func() (err error) {
			if c.state.Files, err = d.hashFiles(model, learner, window); err != nil {
				return err
			}
			return d.writeState(c.state)
		}},
		{"latest", func() error { return d.writeLatest(c.state) }},
		{"sweep", func() error { return d.sweep(c.state, keep) }},
	} {
		if d.before != nil {
			if err := d.before(part.name); err != nil {
				return state{}, err
			}
		}
		if err := part.do(); err != nil {
			return state{}, fmt.Errorf("cannot write the checkpoint of iteration %d (%s): %w", c.state.Iteration, part.name, err)
		}
	}
	return c.state, nil
}

// tidy makes the directory what it was when the state was committed, after a process that was killed later.
func (d *Dir) tidy(s state, keep int) error {
	if err := d.truncateMetrics(s.Iteration); err != nil {
		return err
	}
	if err := d.writeLatest(s); err != nil {
		return err
	}
	return d.sweep(s, keep)
}

func (d *Dir) writeLatest(s state) error {
	return atomicfile.WriteBytes(d.file(latestFile), fmt.Appendf(nil, modelPattern+"\n", s.Model))
}
