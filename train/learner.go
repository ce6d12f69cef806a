package train

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"tengen/game"
	"tengen/internal/parallel"
	"tengen/internal/portable"
	"tengen/internal/random"
	"tengen/net"
)

// microBatches is their number in a batch, see net.Trainer. Another number would change the last bits of the weights.
const microBatches = 2

// maxGradientNorm is the Euclidean norm to which a longer gradient is scaled down.
const maxGradientNorm = 5

// Learner improves weights by gradient descent on samples of a window. Its steps use all cores, but the results do not
// depend on their number. It is not safe for concurrent use.
//
// A step is a series of short phases, between which the cores of a pool wait for each other.
type Learner struct {
	cfg       Config
	seed      uint64
	step      uint64 // taken since the run began
	pool      *parallel.Pool
	trainer   *net.Trainer
	weights   *net.Weights // the trainer's
	average   *net.Weights // running mean of the weights, nil without Config.Average
	optimizer *adam
	squares   [][2]float64 // sums of weights' and gradients' squares, by block

	inference *net.Inference // for unseenLosses, nil before its first call
	unseen    *game.Batch    // for unseenLosses
}

// StepResult describes one step. Losses and entropy are means over the batch, before the step.
type StepResult struct {
	net.Losses
	L2           float32 // c |theta|^2 before the step, not part of Losses.Total
	GradientNorm float64 // Euclidean, over all parameters, before limiting
	LearningRate float64
}

// NewLearner returns a learner that starts from a copy of the weights. The configuration must be valid. A step's
// samples depend only on the window, the seed and the step number. The caller must close the learner.
func NewLearner(cfg Config, weights *net.Weights, seed uint64) *Learner {
	l := &Learner{cfg: cfg, seed: seed, pool: parallel.NewPool(runtime.GOMAXPROCS(0))}
	l.trainer = net.NewTrainer(weights, cfg.BatchSize, microBatches, l.pool)
	l.weights = l.trainer.Weights()
	if cfg.Average > 0 {
		l.average = weights.Clone()
	}
	l.optimizer = newAdam(l.weights.Params)
	l.squares = make([][2]float64, len(l.optimizer.blocks))
	return l
}

// Accelerate is net.Trainer's.
func (l *Learner) Accelerate(d *net.Device) { l.trainer.Accelerate(d) }

// Close ends the learner's goroutines and leaves its device. Its weights stay.
func (l *Learner) Close() {
	l.trainer.Close()
	l.pool.Close()
}

// Published returns the weights to play with: the learner's or, with Config.Average, their running mean. Step changes
// them.
func (l *Learner) Published() *net.Weights {
	if l.average != nil {
		return l.average
	}
	return l.weights
}

// Step takes one step on a batch drawn from the window, at the learning rate of an iteration, counted from 1. If last
// is true, it verifies the device's step. A loss or weight that is not finite is an error, and so is net.ErrDeviceLost.
// The learner is unusable after an error, except by resume.
func (l *Learner) Step(w Window, iteration int, last bool) (StepResult, error) {
	w.Sample(random.New(l.seed, random.Samples, l.step), l.trainer.Batch())
	result := StepResult{LearningRate: l.cfg.learningRate(l.step, iteration)}
	var err error
	if result.Losses, err = l.trainer.Run(); err == nil && last {
		err = l.trainer.Verify()
	}
	if err != nil {
		return result, l.diverged(err)
	}
	weightNorm, gradientNorm := l.norms()
	if !finite(gradientNorm) {
		if err := l.trainer.Verify(); err != nil {
			return result, l.diverged(err)
		}
	}
	result.L2, result.GradientNorm = float32(l.cfg.L2*weightNorm*weightNorm), gradientNorm
	if err := l.applyGradients(result); err != nil {
		return result, l.diverged(err)
	}
	l.trainer.Update()
	l.step++
	return result, nil
}

// norms returns the Euclidean norms of the weights and of the gradients. It first adds the gradient of the penalty
// c |theta|^2 to the gradients.
func (l *Learner) norms() (weights, gradients float64) {
	l.each(func(i int, b block) {
		w, g := b.of(l.weights.Params), b.of(l.trainer.Gradients())
		if l.cfg.L2 > 0 {
			add(g, w, float32(2*l.cfg.L2))
		}
		l.squares[i] = [2]float64{squares(w), squares(g)}
	})
	for _, s := range l.squares { // in one order, whichever core was faster
		weights, gradients = weights+s[0], gradients+s[1]
	}
	return math.Sqrt(weights), math.Sqrt(gradients)
}

// applyGradients moves the weights against their gradients, scaled down to the limit, and their running mean towards
// them. It returns an error if a weight is not finite.
func (l *Learner) applyGradients(result StepResult) error {
	var diverged atomic.Bool
	share := averageShare(l.cfg.Average, l.step+1)
	l.each(func(_ int, b block) {
		w, g := b.of(l.weights.Params), b.of(l.trainer.Gradients())
		if result.GradientNorm > maxGradientNorm {
			scale(g, float32(maxGradientNorm/result.GradientNorm))
		}
		l.optimizer.update(l.step+1, result.LearningRate, l.weights.Params, l.trainer.Gradients(), b)
		if slices.ContainsFunc(w, func(x float32) bool { return !finite(x) }) {
			diverged.Store(true)
		}
		if l.average != nil {
			approach(b.of(l.average.Params), w, share)
		}
	})
	if diverged.Load() {
		return l.weights.Finite()
	}
	return nil
}

// each calls f for each block of the parameters, on all cores.
func (l *Learner) each(f func(i int, b block)) {
	blocks := l.optimizer.blocks
	l.pool.Each(len(blocks), func(i, _ int) { f(i, blocks[i]) })
}

func (l *Learner) diverged(err error) error {
	return fmt.Errorf("training diverged at step %d: %w", l.step, err)
}

// averageShare returns the share of the newest of t weights in their running mean with the given decay per step:
//
//	a_t = a_(t-1) + share_t (w_t - a_(t-1)),   share_t = (1 - decay) / (1 - decay^t)
//
// This is Adam's bias-corrected mean (Kingma, Ba 2015, section 3). The first share is 1, so the random initial weights
// have no part in it.
func averageShare(decay float64, t uint64) float32 {
	return float32((1 - decay) / (1 - portable.Pow(decay, float64(t))))
}

// tensors returns the learner's state apart from the step number: "weights/<parameter>"; with Config.Average
// "average/<parameter>"; and the optimizer's "<moment>/<parameter>". They share its memory.
func (l *Learner) tensors() []net.Param {
	params := named("weights", l.weights)
	if l.average != nil {
		params = append(params, named("average", l.average)...)
	}
	return append(params, l.optimizer.moments...)
}

// resume continues after the given number of steps. The tensors must hold their values from that time.
func (l *Learner) resume(step uint64) {
	l.step = step
	l.trainer.Update()
}

// keep returns a function that brings the present state back, which is the newest checkpoint's before the first step of
// an iteration. Without a device it does nothing.
func (l *Learner) keep() (goBack func()) {
	if !l.trainer.OnDevice() {
		return func() {}
	}
	step, tensors := l.step, l.tensors()
	var kept [][]float32
	for _, p := range tensors {
		kept = append(kept, slices.Clone(p.Data))
	}
	return func() {
		for i, p := range tensors {
			copy(p.Data, kept[i])
		}
		l.resume(step)
	}
}

// named returns the parameters of w, named "<prefix>/<parameter>". They share its memory.
func named(prefix string, w *net.Weights) []net.Param {
	var params []net.Param
	for _, p := range w.Params {
		p.Name = prefix + "/" + p.Name
		params = append(params, p)
	}
	return params
}

func add(sum, data []float32, factor float32) {
	for i := range sum {
		sum[i] += float32(factor * data[i])
	}
}

// approach moves means by share of their distances to the newest values.
func approach(means, newest []float32, share float32) {
	for i, x := range newest {
		means[i] += float32(share * (x - means[i]))
		if tiny(means[i]) {
			means[i] = 0
		}
	}
}

func scale(data []float32, factor float32) {
	for i := range data {
		data[i] *= factor
	}
}

func squares(data []float32) (sum float64) {
	for _, x := range data {
		sum += float64(float64(x) * float64(x))
	}
	return sum
}

// finite reports whether x is neither infinite nor NaN. If x is either, x-x is NaN.
func finite[T float32 | float64](x T) bool { return x-x == 0 }
