package train

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"tengen/internal/parallel"
	"tengen/internal/portable"
	"tengen/internal/random"
	"tengen/net"
	"tengen/replay"
)

// halves is the number of equal parts of a batch. Another number would change the last bits of the weights.
const halves = 2

// Learner improves weights by gradient descent on samples of a window. It computes both halves of a batch at once, on
// all cores, and averages their gradients in a fixed order, so results do not depend on the number of cores. It is not
// safe for concurrent use.
type Learner struct {
	cfg       Config
	seed      uint64
	step      uint64 // taken since the run began
	weights   *net.Weights
	average   *net.Weights // running mean of the weights, nil without Config.Average
	gradients []net.Param  // averaged over the halves
	optimizer *Optimizer
	halves    [halves]half
	drawn     bool // the next step's samples are in half.next

	inference *net.Inference // for unseenLosses, nil before its first call
	unseen    *replay.Batch  // for unseenLosses
}

// half computes the gradient of half a batch.
type half struct {
	trainer *net.Trainer
	next    *replay.Batch // samples for the trainer's next Run
	losses  net.Losses
	err     error
}

// StepResult describes one step. Losses and entropy are means over the batch, before the step.
type StepResult struct {
	net.Losses
	L2           float32 // c |theta|^2 before the step, not part of Losses.Total
	GradientNorm float64 // Euclidean, over all parameters, before limiting
	LearningRate float64
}

// NewLearner returns a learner that starts from a copy of the weights. The configuration must be valid. A step's
// samples depend only on the window, the seed and the step number.
func NewLearner(cfg Config, weights *net.Weights, seed uint64) *Learner {
	l := &Learner{cfg: cfg, seed: seed, weights: weights.Clone()}
	if cfg.Average > 0 {
		l.average = weights.Clone()
	}
	l.gradients = weights.Clone().Params
	l.optimizer = NewOptimizer(cfg, l.weights.Params)
	for i := range l.halves {
		// Rounded up: with an odd number of cores, both halves use the last one.
		trainer := net.NewTrainer(l.weights, cfg.BatchSize/halves, (runtime.GOMAXPROCS(0)+halves-1)/halves)
		b := trainer.Batch()
		next := &replay.Batch{
			Planes: slices.Clone(b.Planes), Pi: slices.Clone(b.Pi), Legal: slices.Clone(b.Legal), Z: slices.Clone(b.Z), Targets: maps.Clone(b.Targets),
		}
		for name, rows := range next.Targets {
			next.Targets[name] = slices.Clone(rows)
		}
		l.halves[i] = half{trainer: trainer, next: next}
	}
	return l
}

// Published returns the weights to play with: the learner's or, with Config.Average, their running mean. Step changes
// them.
func (l *Learner) Published() *net.Weights {
	if l.average != nil {
		return l.average
	}
	return l.weights
}

// Step takes one step on a batch drawn from the window, at the learning rate of an iteration, counted from 1. If more
// is true, it also draws the next step's batch, and the window must not change before that step. A loss or weight that
// is not finite is an error. The learner is unusable after an error.
func (l *Learner) Step(w Window, iteration int, more bool) (StepResult, error) {
	if !l.drawn {
		l.draw(w, l.step)
	}
	l.drawn = more
	result := StepResult{LearningRate: l.cfg.learningRate(l.step, iteration)}
	var weightNorm float64
	var meanwhile []func()
	if l.cfg.L2 > 0 {
		meanwhile = append(meanwhile, func() { weightNorm = norm(l.weights.Params) })
	}
	if more {
		meanwhile = append(meanwhile, func() { l.draw(w, l.step+1) })
	}
	var err error
	if result.Losses, err = l.differentiate(meanwhile); err != nil {
		return result, err
	}
	l.penalize()
	result.L2, result.GradientNorm = float32(l.cfg.L2*weightNorm*weightNorm), norm(l.gradients)
	if limit := l.cfg.MaxGradientNorm; limit > 0 && result.GradientNorm > limit {
		parallel.For(len(l.gradients), func(i int) { scale(l.gradients[i].Data, float32(limit/result.GradientNorm)) })
	}
	l.optimizer.Step(l.step+1, result.LearningRate, l.weights.Params, l.gradients)
	if err := l.weights.Finite(); err != nil {
		return result, l.diverged(err)
	}
	l.load()
	l.step++
	if l.average != nil {
		approach(l.average.Params, l.weights.Params, averageShare(l.cfg.Average, l.step))
	}
	return result, nil
}

// draw draws the batch of a step.
func (l *Learner) draw(w Window, step uint64) {
	rng := random.New(l.seed, random.Samples, step)
	for i := range l.halves {
		w.Sample(rng, l.halves[i].next)
	}
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

func (l *Learner) load() { net.LoadAll(l.weights, l.halves[0].trainer, l.halves[1].trainer) }

// differentiate averages the halves' losses and gradients. It runs the tasks of meanwhile at the same time.
func (l *Learner) differentiate(meanwhile []func()) (mean net.Losses, err error) {
	for i := range l.halves {
		l.halves[i].take()
	}
	parallel.For(halves+len(meanwhile), func(i int) {
		if i >= halves {
			meanwhile[i-halves]()
			return
		}
		h := &l.halves[i]
		h.losses, h.err = h.trainer.Run()
	})
	for _, h := range l.halves {
		if h.err != nil {
			return mean, l.diverged(h.err)
		}
		mean.Add(h.losses, 1.0/halves)
	}
	parallel.For(len(l.gradients), func(i int) {
		sum := l.gradients[i].Data
		clear(sum)
		for _, h := range l.halves {
			add(sum, h.trainer.Gradients()[i].Data, 1.0/halves)
		}
	})
	return mean, nil
}

// take copies the next samples to the trainer, so that the following ones can be drawn while it runs.
func (h *half) take() {
	b := h.trainer.Batch()
	copy(b.Planes, h.next.Planes)
	copy(b.Pi, h.next.Pi)
	copy(b.Legal, h.next.Legal)
	copy(b.Z, h.next.Z)
	for name, rows := range h.next.Targets {
		copy(b.Targets[name], rows)
	}
}

// penalize adds the gradient of the loss term c |theta|^2 over all weights and biases, unless the optimizer decays the
// weights instead, see Config.shrinkage.
func (l *Learner) penalize() {
	if l.cfg.L2 > 0 && !l.cfg.DecoupleL2 {
		parallel.For(len(l.gradients), func(i int) {
			add(l.gradients[i].Data, l.weights.Params[i].Data, float32(2*l.cfg.L2))
		})
	}
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
	l.load()
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

// approach moves every mean by share of its distance to the newest value.
func approach(means, newest []net.Param, share float32) {
	parallel.For(len(means), func(i int) {
		mean, data := means[i].Data, newest[i].Data
		for j, x := range data {
			mean[j] += float32(share * (x - mean[j]))
		}
	})
}

func scale(data []float32, factor float32) {
	for i := range data {
		data[i] *= factor
	}
}

// norm returns the Euclidean norm over all values.
func norm(params []net.Param) float64 {
	sum := 0.0
	for _, p := range params {
		for _, x := range p.Data {
			sum += float64(float64(x) * float64(x))
		}
	}
	return math.Sqrt(sum)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
