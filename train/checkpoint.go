package train

import (
	"fmt"

	"tengen/internal/atomicfile"
	"tengen/net"
)

// checkpoint is what a commit writes.
type checkpoint struct {
	state   state // History is brought up to date by the commit
	tensors []net.Param
	model   *net.Model // the newest published one
	metrics *Metrics   // nil for the start of a run
}

// commit makes an iteration the one at which the run goes on. Until the part "checkpoint" is done, that is the iteration
// before; from then on it is this one, and the parts that follow are done again by tidy if need be.
func (d *Dir) commit(c *checkpoint, keep int) error {
	for _, part := range []struct {
		name string
		do   func() error
	}{
		{"metrics", func() error {
			if c.metrics == nil {
				return d.newMetrics()
			}
			if err := d.appendMetrics(c.metrics); err != nil {
				return err
			}
			c.state.History = c.metrics.digest(c.state.History)
			return nil
		}},
		{"checkpoint", func() error { return d.writeCheckpoint(c.state, c.tensors) }},
		{"model", func() error {
			if c.model.Iteration < c.state.Iteration {
				return nil // it was there before
			}
			return d.saveModel(c.model)
		}},
		{"latest", func() error { return d.writeLatest(c.model) }},
		{"sweep", func() error { return d.sweep(c.state.Iteration, keep) }},
	} {
		var err error
		if d.before != nil {
			err = d.before(part.name)
		}
		if err == nil {
			err = part.do()
		}
		if err != nil {
			return fmt.Errorf("cannot write the checkpoint of iteration %d (%s): %w; the run goes on from its last checkpoint "+
				"when the cause is mended", c.state.Iteration, part.name, err)
		}
	}
	return nil
}

// tidy makes the directory what it was when the state was committed, after a process that was killed later. It returns
// what it found damaged and could not make whole.
func (d *Dir) tidy(s state, model *net.Model, keep int) (damage, err error) {
	intact, err := d.trimMetrics(s)
	if err != nil {
		return nil, err
	}
	if !intact {
		damage = fmt.Errorf("%s is damaged: some of its lines are missing or altered, what is left is kept", d.file(metricsFile))
	}
	if err := d.saveModel(model); err != nil {
		return nil, err
	}
	if err := d.writeLatest(model); err != nil {
		return nil, err
	}
	return damage, d.sweep(s.Iteration, keep)
}

func (d *Dir) saveModel(m *net.Model) error {
	return m.Save(d.file(fmt.Sprintf(modelPattern, m.Iteration)))
}

func (d *Dir) writeLatest(m *net.Model) error {
	return atomicfile.WriteBytes(d.file(latestFile), 0o644, fmt.Appendf(nil, modelPattern+"\n", m.Iteration))
}
