package train

import (
	"fmt"

	"tengen/net"
)

// tensors are all that the learner needs to go on, beside the number of steps: its weights, named "weights/<parameter>", and
// the optimizer's moments, named "<moment>/<parameter>". They share its memory.
func (l *Learner) tensors() []net.Param {
	return append(named("weights", l.weights), l.optimizer.Moments()...)
}

// restore makes the learner what it was after the given number of steps, with the tensors that it had then.
func (l *Learner) restore(step uint64, tensors []net.Param) error {
	weights := named("weights", l.weights)
	n := min(len(weights), len(tensors))
	if err := copyParams(weights, tensors[:n]); err != nil {
		return fmt.Errorf("the weights are of another network: %w", err)
	}
	if err := l.optimizer.Restore(step, tensors[n:]); err != nil {
		return err
	}
	l.step = step
	l.load()
	return nil
}

// named are the parameters of weights, under names that begin with what they are. They share their memory.
func named(what string, w *net.Weights) []net.Param {
	var params []net.Param
	for _, p := range w.Params {
		p.Name = what + "/" + p.Name
		params = append(params, p)
	}
	return params
}
