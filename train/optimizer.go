package train

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"tengen/net"
)

// Optimizer moves parameters against their gradients. It is a gorgonia.Solver whose whole state can be saved and
// restored to the bit, which those of Gorgonia cannot. It is not safe for concurrent use.
type Optimizer struct {
	rule        rule
	weightDecay float64
	rate        float64
	step        uint64
	moments     []net.Param // moment by moment, and within each in the order of the parameters
}

var _ gorgonia.Solver = (*Optimizer)(nil)

// rule is the formula of one optimizer.
type rule interface {
	// moments names the running means kept for each parameter.
	moments() []string
	// update changes one parameter w and its moments m, given its gradient g. step counts from 1.
	update(step uint64, rate float64, w, g []float32, m [][]float32)
}

// newRule returns the rule that the configuration names, nil if there is no such rule.
func newRule(cfg Config) rule {
	switch cfg.Optimizer {
	case "sgd":
		return nesterov{momentum: cfg.Momentum}
	case "adamw":
		return adam{beta1: cfg.Momentum}
	}
	return nil
}

// NewOptimizer returns the optimizer of a valid configuration for these parameters, of which it needs the names and
// shapes only. It starts with all moments 0 and a learning rate of 0.
func NewOptimizer(cfg Config, params []net.Param) *Optimizer {
	o := &Optimizer{rule: newRule(cfg), weightDecay: cfg.WeightDecay}
	for _, moment := range o.rule.moments() {
		for _, p := range params {
			o.moments = append(o.moments, net.Param{
				Name: moment + "/" + p.Name, Shape: p.Shape, Data: make([]float32, len(p.Data)),
			})
		}
	}
	return o
}

// SetLearningRate sets the rate of the next steps.
func (o *Optimizer) SetLearningRate(rate float64) { o.rate = rate }

// Step changes every parameter by one step of the rule and sets its gradient to 0, as Gorgonia's solvers do. Parameters
// of two or more axes are weights and decay; biases do not. The parameters must be those of NewOptimizer, in their order.
func (o *Optimizer) Step(params []gorgonia.ValueGrad) error {
	o.step++
	kinds := len(o.rule.moments())
	if len(params)*kinds != len(o.moments) {
		return fmt.Errorf("a step for %d parameters, the optimizer was made for %d", len(params), len(o.moments)/kinds)
	}
	m := make([][]float32, kinds)
	for i, p := range params {
		gradient, err := p.Grad()
		if err != nil {
			return fmt.Errorf("parameter %d has no gradient: %w", i, err)
		}
		w, okW := p.Value().Data().([]float32)
		g, okG := gradient.Data().([]float32)
		for k := range m {
			m[k] = o.moments[k*len(params)+i].Data
		}
		if !okW || !okG || len(w) != len(g) || len(w) != len(m[0]) {
			return fmt.Errorf("parameter %d does not match its gradient or is not the float32 tensor the optimizer was made for", i)
		}
		if p.Value().Shape().Dims() > 1 {
			shrink(w, float32(1-o.rate*o.weightDecay))
		}
		o.rule.update(o.step, o.rate, w, g, m)
		clear(g)
	}
	return nil
}

// shrink is the decoupled weight decay (Loshchilov, Hutter 2019, "Decoupled weight decay regularization", equation 2).
func shrink(w []float32, factor float32) {
	for i := range w {
		w[i] *= factor
	}
}

// Moments are the running means, which with the number of steps are the optimizer's whole state. They share its memory.
func (o *Optimizer) Moments() []net.Param { return o.moments }

// Restore makes the optimizer what it was after the given number of steps, with the moments that it had then.
func (o *Optimizer) Restore(step uint64, moments []net.Param) error {
	if err := copyParams(o.moments, moments); err != nil {
		return fmt.Errorf("the optimizer's state does not fit: %w", err)
	}
	o.step = step
	return nil
}

// copyParams copies the values of tensors to others of the same names and shapes.
func copyParams(to, from []net.Param) error {
	if len(to) != len(from) {
		return fmt.Errorf("%d tensors, want %d", len(from), len(to))
	}
	for i := range to {
		if from[i].Name != to[i].Name || len(from[i].Data) != len(to[i].Data) {
			return fmt.Errorf("tensor %s %v where %s %v belongs", from[i].Name, from[i].Shape, to[i].Name, to[i].Shape)
		}
	}
	for i := range to {
		copy(to[i].Data, from[i].Data)
	}
	return nil
}
