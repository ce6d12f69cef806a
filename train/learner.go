package train

import (
	"fmt"
	"math"
	"runtime"

	"tengen/internal/parallel"
	"tengen/internal/portable"
	"tengen/internal/random"
	"tengen/net"
	"tengen/replay"
)

// Learner improves weights by gradient descent on samples of a window. It splits a batch into shards, computes them at
// once on all cores, and averages their gradients in a fixed order, so results do not depend on the number of cores. A
// Learner is not safe for concurrent use.
type Learner struct {
	cfg       Config
	seed      uint64
	step      uint64 // taken since the run began
	weights   *net.Weights
	average   *net.Weights // running mean of the weights, nil without Config.Average
	gradients []net.Param  // averaged over the shards
	optimizer *Optimizer
	shards    []shard

	inference *net.Inference // for unseenLosses, nil before the first
	unseen    *replay.Batch  // for unseenLosses
}

// shard computes the gradient of one part of the batch.
type shard struct {
	trainer *net.Trainer
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
	l := &Learner{cfg: cfg, seed: seed, weights: weights.Clone(), shards: make([]shard, cfg.Shards)}
	if cfg.Average > 0 {
		l.average = weights.Clone()
	}
	l.gradients = weights.Clone().Params
	l.optimizer = NewOptimizer(cfg, l.weights.Params)
	for i := range l.shards {
		l.shards[i].trainer = net.NewTrainer(l.weights, cfg.BatchSize/cfg.Shards, max(1, runtime.GOMAXPROCS(0)/cfg.Shards))
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

// Step takes one step on a batch drawn from the window, at the learning rate of an iteration, counted from 1. It
// fails if a loss or weight is not finite. The learner is unusable after an error.
func (l *Learner) Step(w Window, iteration int) (StepResult, error) {
	rng := random.New(l.seed, random.Samples, l.step)
	for i := range l.shards {
		w.Sample(rng, (*replay.Batch)(l.shards[i].trainer.Batch()))
	}
	result := StepResult{LearningRate: l.cfg.learningRate(l.step, iteration)}
	var err error
	if result.Losses, err = l.differentiate(); err != nil {
		return result, err
	}
	l.penalize()
	lengths := norms(l.weights.Params, l.gradients)
	result.L2, result.GradientNorm = float32(l.cfg.L2*lengths[0]*lengths[0]), lengths[1]
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

func (l *Learner) load() {
	parallel.For(len(l.shards), func(i int) { l.shards[i].trainer.Load(l.weights) })
}

// differentiate runs the shards and averages their losses and gradients.
func (l *Learner) differentiate() (mean net.Losses, err error) {
	parallel.For(len(l.shards), func(i int) {
		s := &l.shards[i]
		s.losses, s.err = s.trainer.Run()
	})
	parallel.For(len(l.gradients), func(i int) { clear(l.gradients[i].Data) })
	share := 1 / float32(len(l.shards))
	for _, s := range l.shards {
		if s.err != nil {
			return mean, l.diverged(s.err)
		}
		mean.Add(s.losses, share)
		add(l.gradients, s.trainer.Gradients(), share)
	}
	return mean, nil
}

// penalize adds the gradient of the loss term c |theta|^2 over all weights and biases, unless the optimizer decays the
// weights instead, see Config.shrinkage.
func (l *Learner) penalize() {
	if l.cfg.L2 > 0 && !l.cfg.DecoupleL2 {
		add(l.gradients, l.weights.Params, float32(2*l.cfg.L2))
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

// resume continues after step steps, once the tensors have the values that they had then.
func (l *Learner) resume(step uint64) {
	l.step = step
	l.load()
}

// named returns the parameters of w with prefixed names. They share its memory.
func named(what string, w *net.Weights) []net.Param {
	var params []net.Param
	for _, p := range w.Params {
		p.Name = what + "/" + p.Name
		params = append(params, p)
	}
	return params
}

func add(sums, what []net.Param, factor float32) {
	parallel.For(len(sums), func(i int) {
		sum, data := sums[i].Data, what[i].Data
		for j := range sum {
			sum[j] += float32(factor * data[j])
		}
	})
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

// norms returns the norm of every list.
func norms(lists ...[]net.Param) []float64 {
	lengths := make([]float64, len(lists))
	parallel.For(len(lists), func(i int) { lengths[i] = norm(lists[i]) })
	return lengths
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
