package train

import (
	"fmt"
	"math"
	"sync"

	"gorgonia.org/gorgonia"

	"tengen/internal/random"
	"tengen/net"
	"tengen/replay"
)

// Learner improves weights by steps of gradient descent on samples of a window. A batch is split into shards, each with a
// network of its own on a goroutine of its own; their gradients are averaged in a fixed order, so a step gives the same
// bits on any number of cores. A Learner is not safe for concurrent use.
type Learner struct {
	cfg       Config
	seed      uint64
	step      uint64 // taken so far
	weights   *net.Weights
	average   *net.Weights         // running mean of the weights; nil: none is kept
	gradients []net.Param          // averaged over the shards
	pairs     []gorgonia.ValueGrad // weights and gradients
	optimizer *Optimizer
	shards    []shard
}

// shard computes the gradient of one part of the batch.
type shard struct {
	trainer *net.Trainer
	losses  net.Losses // of the last run
	err     error
}

// StepResult describes one step. The losses and the entropy are means over the batch, before the step.
type StepResult struct {
	net.Losses
	L2           float32 // c |theta|^2 before the step, the part of the loss that is not in Losses.Total
	GradientNorm float64 // Euclidean, of the whole gradient that the optimizer gets, before it is limited
	LearningRate float64
}

// NewLearner starts from a copy of the weights. The configuration must be valid. All randomness depends on seed and the
// number of the step alone.
func NewLearner(cfg Config, weights *net.Weights, seed uint64) *Learner {
	l := &Learner{cfg: cfg, seed: seed, weights: weights.Clone(), shards: make([]shard, cfg.Shards)}
	if cfg.Average > 0 {
		l.average = weights.Clone()
	}
	l.gradients = weights.Clone().Params
	l.pairs = net.ValueGrads(l.weights.Params, l.gradients)
	l.optimizer = NewOptimizer(cfg, l.weights.Params)
	for i := range l.shards {
		l.shards[i].trainer = net.NewTrainer(l.weights, cfg.BatchSize/cfg.Shards)
	}
	return l
}

// Published are the weights to play with, which Step changes: the running mean of those after each step so far or, without
// Config.Average, the learner's own.
func (l *Learner) Published() *net.Weights {
	if l.average != nil {
		return l.average
	}
	return l.weights
}

// Steps is the number of steps taken since the run began.
func (l *Learner) Steps() uint64 { return l.step }

// Step takes one step on a batch drawn from the window, at the learning rate of the given iteration, which counts from 1.
// A loss, gradient or weight that is not finite gives a NotFiniteError; after an error the learner is of no more use.
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
	result.L2 = l.penalize()
	result.GradientNorm = norm(l.gradients)
	if !finite(result.GradientNorm) {
		return result, NotFiniteError{l.step, fmt.Errorf("the gradient's norm is %v: lower the learning rate", result.GradientNorm)}
	}
	if limit := l.cfg.MaxGradientNorm; limit > 0 && result.GradientNorm > limit {
		scale(l.gradients, float32(limit/result.GradientNorm))
	}
	l.optimizer.SetLearningRate(result.LearningRate)
	if err := l.optimizer.Step(l.pairs); err != nil {
		return result, err
	}
	if err := l.weights.Finite(); err != nil {
		return result, NotFiniteError{l.step, err}
	}
	l.load()
	l.step++
	if l.average != nil {
		approach(l.average.Params, l.weights.Params, averageShare(l.cfg.Average, l.step))
	}
	return result, nil
}

// averageShare is the share of the newest of t weights in their running mean with the given decay per step:
//
//	a_t = a_(t-1) + share_t (w_t - a_(t-1)),   share_t = (1 - decay) / (1 - decay^t)
//
// which is Adam's bias-corrected mean (Kingma, Ba 2015, section 3), kept in corrected form:
//
//	a_t = (1 - decay) / (1 - decay^t) * sum over i = 1..t of decay^(t-i) w_i
//
// The first share is 1, so the random initial weights have no part in it. A mean that began with them would still have half
// of them in it after 350 steps at a decay of 0.998, an iteration or more.
func averageShare(decay float64, t uint64) float32 {
	return float32((1 - decay) / (1 - math.Pow(decay, float64(t))))
}

// load gives the weights to every shard.
func (l *Learner) load() {
	for i := range l.shards {
		l.shards[i].trainer.Load(l.weights)
	}
}

// differentiate runs the shards and averages their losses and gradients.
func (l *Learner) differentiate() (mean net.Losses, err error) {
	var running sync.WaitGroup
	for i := range l.shards {
		s := &l.shards[i]
		running.Go(func() { s.losses, s.err = s.trainer.Run() })
	}
	running.Wait()
	for _, g := range l.gradients {
		clear(g.Data)
	}
	share := 1 / float32(len(l.shards))
	for _, s := range l.shards {
		if s.err != nil {
			return mean, NotFiniteError{l.step, s.err}
		}
		mean.Add(s.losses, share)
		add(l.gradients, s.trainer.Gradients(), share)
	}
	return mean, nil
}

// penalize returns the loss's term c |theta|^2, theta being all weights and biases, and adds its gradient to the others
// unless the optimizer sees to that, see Config.shrinkage.
func (l *Learner) penalize() float32 {
	if l.cfg.L2 == 0 {
		return 0
	}
	if !l.cfg.DecoupleL2 {
		add(l.gradients, l.weights.Params, float32(2*l.cfg.L2))
	}
	length := norm(l.weights.Params)
	return float32(l.cfg.L2 * length * length)
}

// tensors are all that the learner needs to go on, beside the number of steps: its weights, named "weights/<parameter>", their
// mean if it keeps one, named "average/<parameter>", and the optimizer's moments, named "<moment>/<parameter>". They share its
// memory.
func (l *Learner) tensors() []net.Param { return append(l.saved(), l.optimizer.Moments()...) }

// saved are the tensors without the moments.
func (l *Learner) saved() []net.Param {
	params := named("weights", l.weights)
	if l.average != nil {
		params = append(params, named("average", l.average)...)
	}
	return params
}

// restore makes the learner what it was after the given number of steps, with the tensors that it had then.
func (l *Learner) restore(step uint64, tensors []net.Param) error {
	saved := l.saved()
	n := min(len(saved), len(tensors))
	if err := copyParams(saved, tensors[:n]); err != nil {
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

// add adds factor times what to each sum.
func add(sums, what []net.Param, factor float32) {
	for i := range sums {
		sum, data := sums[i].Data, what[i].Data
		for j := range sum {
			sum[j] += factor * data[j]
		}
	}
}

// approach moves every mean by a share of its distance to the newest value.
func approach(means, newest []net.Param, share float32) {
	for i := range means {
		mean, data := means[i].Data, newest[i].Data
		for j, x := range data {
			mean[j] += share * (x - mean[j])
		}
	}
}

// scale multiplies every value by a factor.
func scale(params []net.Param, factor float32) {
	for _, p := range params {
		for j := range p.Data {
			p.Data[j] *= factor
		}
	}
}

// norm is the Euclidean norm of all values together.
func norm(params []net.Param) float64 {
	sum := 0.0
	for _, p := range params {
		for _, x := range p.Data {
			sum += float64(x) * float64(x)
		}
	}
	return math.Sqrt(sum)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// NotFiniteError says that training has diverged: a loss, gradient or weight was infinite or not a number.
type NotFiniteError struct {
	Step uint64 // counts from 0 over the run
	Err  error  // says what it was
}

// Error says at which step, and what was not finite.
func (e NotFiniteError) Error() string {
	return fmt.Sprintf("training diverged at step %d: %v", e.Step, e.Err)
}

// Unwrap is what was not finite.
func (e NotFiniteError) Unwrap() error { return e.Err }
