package train

import (
	"fmt"
	"math"

	"tengen/internal/limits"
)

// Config holds the constants of learning. config.yaml copies its comments, so they name fields by key.
type Config struct {
	// A model to begin with instead of random weights: a file, another run's directory for its newest model, or the name
	// of a built-in model. Only the start of a run needs it. The networks must be alike; with net.policy_head conv and
	// net.value_head pooled, board sizes may differ: lines and threats are learned faster on a small board. "": none.
	From string `json:"from"`
	// Number of iterations. Each plays games, learns from them and publishes a model. Raise it to continue a finished
	// run; the learning rate then falls over the longer run.
	Iterations int `json:"iterations" default:"78" range:"[1,99999999]"`
	// Self-play games per iteration.
	GamesPerIteration int `json:"games_per_iteration" default:"600" range:"[1,1e6]"`
	// How many times a position is used for training on average: an iteration takes passes * new positions / batch_size
	// steps. With more passes, the network learns more from a game but may memorise it.
	Passes float64 `json:"passes" default:"3" range:"(0,1000]"`
	// Samples per step, an even number. AlphaZero used 4096; small boards do well with 128 to 1024.
	BatchSize int `json:"batch_size" default:"256" range:"[2,65536]"`

	// The highest learning rate of the optimizer, Adam, after 100 steps in which it rises from 0. 0.0005 to 0.003 are
	// usual.
	LearningRate float64 `json:"learning_rate" default:"0.002" range:"(0,100]"`
	// Over the iterations, the learning rate falls to this along half a cosine wave. With the same number as
	// learning_rate, it is constant.
	FinalLearningRate float64 `json:"final_learning_rate" default:"0.00005" range:"[0,100]"`
	// The c in the loss's term c |theta|^2, over all weights and biases. AlphaZero used 0.0001. Inside Adam, weights with
	// small gradients shrink most.
	L2 float64 `json:"l2" default:"0.0001" range:"[0,10]"`
	// A running mean of the weights is published, evaluated and played with; learning continues from the weights
	// themselves. The mean keeps this share of itself at each step: 0.998 averages over about the last 500 steps.
	// KataGo publishes a mean too. 0: the weights are published as they are.
	Average float64 `json:"average" default:"0.998" range:"[0,1)"`

	// Iterations between evaluations. There is also one after the first tenth of the run, and one at its end. 0: never.
	EvaluateEvery int `json:"evaluate_every" default:"20" range:"[0,99999999]"`
	// How many model files to keep, the newest ones. 0: all.
	Keep int `json:"keep" range:"[0,99999999]"`
}

// Default returns a short run on a small board, for an ordinary computer.
func Default() Config { return limits.Default[Config]() }

// Evaluates reports whether the model of an iteration is evaluated.
func (c Config) Evaluates(iteration int) bool {
	return c.EvaluateEvery > 0 && (iteration%c.EvaluateEvery == 0 || iteration == c.Iterations/10 || iteration == c.Iterations)
}

// Steps returns the number of steps in which new positions are learned: passes * positions / batch_size, rounded up.
func (c Config) Steps(positions int) int {
	return int(math.Ceil(c.Passes * float64(positions) / float64(c.BatchSize)))
}

// Validate returns an error that names the first key out of range.
func (c Config) Validate() error {
	err := limits.Check("train", c)
	if err == nil && c.BatchSize%microBatches != 0 {
		err = fmt.Errorf("train.batch_size is %d, but must be even: a step averages the gradients of two halves", c.BatchSize)
	}
	return err
}
