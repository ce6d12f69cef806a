package train

import (
	"fmt"
	"math"
	"slices"

	"tengen/internal/portable"
	"tengen/net"
)

// Optimizer moves parameters against their gradients. Unlike Gorgonia's solvers, its whole state can be saved and
// restored. It is not safe for concurrent use.
type Optimizer struct {
	rule    rule
	moments []net.Param // every parameter's first moment, then every second; with the step number, the whole state
	blocks  []block
}

// block is some elements of a parameter. Cores share work on parameters by blocks.
type block struct{ param, first, last int }

// blockSize is the maximum number of elements of a block.
const blockSize = 1 << 12

func blocksOf(params []net.Param) (blocks []block) {
	for i, p := range params {
		for first := 0; first < len(p.Data); first += blockSize {
			blocks = append(blocks, block{i, first, min(first+blockSize, len(p.Data))})
		}
	}
	return blocks
}

func (b block) of(params []net.Param) []float32 { return params[b.param].Data[b.first:b.last] }

// rule changes one parameter w and its moments m, one or two, given its gradient g. step counts from 1.
type rule func(step uint64, rate float64, w, g []float32, m [2][]float32)

// NewOptimizer returns the optimizer of a valid configuration for parameters of these names and shapes. All moments
// start at 0.
func NewOptimizer(cfg Config, params []net.Param) *Optimizer {
	o := &Optimizer{rule: nesterov, blocks: blocksOf(params)}
	moments := []string{"velocity"}
	if cfg.Optimizer != "sgd" {
		o.rule, moments = adam, []string{"mean", "square"}
	}
	for _, moment := range moments {
		for _, p := range params {
			o.moments = append(o.moments, net.Param{
				Name: moment + "/" + p.Name, Shape: p.Shape, Data: make([]float32, len(p.Data)),
			})
		}
	}
	return o
}

// update updates a block of the parameters by one step. params and gradients must match NewOptimizer's, in the same
// order. step counts from 1. Blocks may be updated at once.
func (o *Optimizer) update(step uint64, rate float64, params, gradients []net.Param, b block) {
	var m [2][]float32
	for k := range len(o.moments) / len(params) {
		m[k] = b.of(o.moments[k*len(params):])
	}
	o.rule(step, rate, b.of(params), b.of(gradients), m)
}

// copyParams copies values between tensors of the same names and shapes.
func copyParams(to, from []net.Param) error {
	if len(to) != len(from) {
		return fmt.Errorf("%d tensors, want %d", len(from), len(to))
	}
	for i := range to {
		if from[i].Name != to[i].Name || !slices.Equal(from[i].Shape, to[i].Shape) {
			return fmt.Errorf("tensor %s %v where %s %v belongs", from[i].Name, from[i].Shape, to[i].Name, to[i].Shape)
		}
	}
	for i := range to {
		copy(to[i].Data, from[i].Data)
	}
	return nil
}

// momentum is sgd's mu and adam's beta1.
const momentum = 0.9

// nesterov is gradient descent with Nesterov momentum in the form of Sutskever et al. 2013, "On the importance of
// initialization and momentum in deep learning", with the look-ahead applied to the gradient:
//
//	v <- mu v + g
//	w <- w - rate (g + mu v)
func nesterov(_ uint64, rate float64, w, g []float32, m [2][]float32) {
	mu, lr, v := float32(momentum), float32(rate), m[0]
	for i := range w {
		v[i] = float32(mu*v[i]) + g[i]
		w[i] -= float32(lr * (g[i] + float32(mu*v[i])))
	}
}

// adam is Adam (Kingma, Ba 2015, "Adam: a method for stochastic optimization", algorithm 1):
//
//	m <- beta1 m + (1 - beta1) g
//	v <- beta2 v + (1 - beta2) g^2
//	w <- w - rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
func adam(step uint64, rate float64, w, g []float32, m [2][]float32) {
	beta1, beta2 := float32(momentum), float32(adamBeta2)
	lr := float32(rate / (1 - portable.Pow(momentum, float64(step))))
	correction := float32(1 / (1 - portable.Pow(adamBeta2, float64(step))))
	mean, square := m[0], m[1]
	for i := range w {
		mean[i] = float32(beta1*mean[i]) + float32((1-beta1)*g[i])
		square[i] = float32(beta2*square[i]) + float32((1-beta2)*g[i]*g[i])
		w[i] -= lr * mean[i] / (float32(math.Sqrt(float64(square[i]*correction))) + adamEpsilon)
	}
}

const (
	adamBeta2   = 0.999
	adamEpsilon = 1e-8
)

// decays holds the schedules: the share of the highest learning rate against the final one, at progress in [0, 1].
var decays = map[string]func(progress float64) float64{
	"none":   func(float64) float64 { return 1 },
	"linear": func(progress float64) float64 { return 1 - progress },
	"cosine": func(progress float64) float64 { return (1 + portable.Cos(math.Pi*progress)) / 2 },
}

// learningRate returns the rate of a step, counted from 0 over the run, in an iteration, counted from 1. Only the
// warm-up changes it within an iteration.
func (c Config) learningRate(step uint64, iteration int) float64 {
	progress := 0.0
	if c.Iterations > 1 {
		progress = float64(iteration-1) / float64(c.Iterations-1)
	}
	share := decays[c.Decay](progress)
	rate := float64(share*c.LearningRate) + float64((1-share)*c.FinalLearningRate)
	if step < uint64(c.WarmupSteps) {
		rate *= float64(step+1) / float64(c.WarmupSteps)
	}
	return rate
}
