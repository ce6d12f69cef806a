package train

import (
	"fmt"
	"strconv"

	"tengen/net"
)

// The learner's file holds its weights as tensors "weights/<parameter>", the optimizer's moments as "<moment>/<parameter>",
// and in the metadata the optimizer's name and the number of steps.
const (
	metaOptimizer = "optimizer"
	metaStep      = "step"
)

// save writes all that the learner needs to go on.
func (l *Learner) save(path string) error {
	return net.WriteTensors(path, &net.Tensors{
		Metadata: map[string]string{
			metaOptimizer: l.cfg.Optimizer,
			metaStep:      strconv.FormatUint(l.step, 10),
		},
		Params: append(l.namedWeights(), l.optimizer.Moments()...),
	})
}

// restore makes the learner what it was when save wrote the file.
func (l *Learner) restore(path string) error {
	t, err := net.ReadTensors(path)
	if err != nil {
		return err
	}
	if name := t.Metadata[metaOptimizer]; name != l.cfg.Optimizer {
		return fmt.Errorf("%s belongs to a run with train.optimizer %q, it cannot go on with %q", path, name, l.cfg.Optimizer)
	}
	step, err := strconv.ParseUint(t.Metadata[metaStep], 10, 64)
	if err != nil {
		return fmt.Errorf("%s does not say after how many steps it was written: %w", path, err)
	}
	weights := l.namedWeights()
	n := min(len(weights), len(t.Params))
	if err := copyParams(weights, t.Params[:n]); err != nil {
		return fmt.Errorf("%s is of another network: %w", path, err)
	}
	if err := l.optimizer.Restore(step, t.Params[n:]); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	l.step = step
	l.load()
	return nil
}

// namedWeights are the weights under their names in the file. They share the learner's memory.
func (l *Learner) namedWeights() []net.Param {
	var params []net.Param
	for _, p := range l.weights.Params {
		p.Name = "weights/" + p.Name
		params = append(params, p)
	}
	return params
}
