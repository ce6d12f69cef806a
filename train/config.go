package train

import (
	"fmt"

	"tengen/internal/limits"
	"tengen/train/checkpoint"
)

// Config holds the constants of learning.
type Config struct {
	// From is a model, a file or another run's directory, whose weights the run begins with. "": random weights.
	From string `json:"from" yaml:"from"`
	// Iterations is how often the run generates games, learns from them and publishes a model. A run that has ended goes on
	// when it is raised; the decay of the learning rate then stretches to the new end.
	Iterations int `json:"iterations" yaml:"iterations"`
	// GamesPerIteration is the number of self-play games of an iteration, all of them with the newest published model.
	GamesPerIteration int `json:"games_per_iteration" yaml:"games_per_iteration"`
	// Passes is how often each position is used on average while it is in the window: an iteration takes
	// passes * new positions / batch_size steps, rounded up. High values learn more from a game, and learn it by heart.
	Passes float64 `json:"passes" yaml:"passes"`
	// BatchSize is the number of samples of a step. AlphaZero used 4096, small boards do well with 128 to 1024.
	BatchSize int `json:"batch_size" yaml:"batch_size"`
	// Shards is the number of equal parts of a batch whose gradients are computed at once and then averaged. As many as
	// there are cores is a good choice. It is part of the numerics: results depend on it in their last bits, and do not
	// depend on the number of cores. It must divide BatchSize.
	Shards int `json:"shards" yaml:"shards"`

	// Optimizer is "sgd", with Nesterov momentum, or "adamw".
	Optimizer string `json:"optimizer" yaml:"optimizer"`
	// LearningRate is the highest learning rate of the run. Usual are 0.01 to 0.2 with sgd, 0.0005 to 0.003 with adamw.
	LearningRate float64 `json:"learning_rate" yaml:"learning_rate"`
	// WarmupSteps is the number of steps over which the learning rate rises from 0 at the start of the run.
	WarmupSteps int `json:"warmup_steps" yaml:"warmup_steps"`
	// Decay is how the learning rate falls from LearningRate to FinalLearningRate over the run's iterations: "none",
	// "linear" or "cosine".
	Decay string `json:"decay" yaml:"decay"`
	// FinalLearningRate is the learning rate of the last iteration. Without decay it is ignored.
	FinalLearningRate float64 `json:"final_learning_rate" yaml:"final_learning_rate"`
	// Momentum is the share of the past in the running mean of the gradients: the momentum of sgd, beta1 of adamw.
	Momentum float64 `json:"momentum" yaml:"momentum"`
	// WeightDecay shrinks every weight, but no bias, by this times the learning rate at each step, apart from the gradient:
	// the decoupled decay that goes with adamw. Usual is 0.01.
	WeightDecay float64 `json:"weight_decay" yaml:"weight_decay"`
	// L2 is the weight c of the term c |theta|^2 of the loss, over all parameters: the regularisation that goes with sgd.
	// AlphaZero used 0.0001.
	L2 float64 `json:"l2" yaml:"l2"`
	// DecoupleL2 keeps the gradient of that term out of adamw's moments, see Config.shrinkage.
	DecoupleL2 bool `json:"decouple_l2" yaml:"decouple_l2"`
	// MaxGradientNorm is the largest Euclidean norm of the whole gradient: a longer one is scaled down to it. 0: no limit.
	MaxGradientNorm float64 `json:"max_gradient_norm" yaml:"max_gradient_norm"`
	// Average is the decay, at each step, of a running mean of the weights, which is published instead of the weights
	// themselves. 0: no mean, the weights are published. See Learner.Published.
	Average float64 `json:"average" yaml:"average"`

	// EvaluateEvery is after how many iterations the published model is evaluated; the last is evaluated too. 0: never.
	EvaluateEvery int `json:"evaluate_every" yaml:"evaluate_every"`
	// Keep is how many of the newest model files stay in the run directory. 0: all.
	Keep int `json:"keep" yaml:"keep"`
	// Tensorboard writes each iteration into an event file for TensorBoard, in the run directory.
	Tensorboard bool `json:"tensorboard" yaml:"tensorboard"`
	// Gate lets only models through that beat the one before, as AlphaGo Zero did. AlphaZero did without.
	Gate Gate `json:"gate" yaml:"gate"`
}

// Gate is the match between the learner's newest weights and the published model (Silver et al. 2017, Methods,
// "Evaluator").
type Gate struct {
	// Games is the number of games of the match; AlphaGo Zero played 400. 0: no match, every model is published.
	Games int `json:"games" yaml:"games"`
	// Score is what the new model must reach, a win counting 1 and a draw 1/2, as a share of the games. AlphaGo Zero
	// asked for 0.55.
	Score float64 `json:"score" yaml:"score"`
}

// Default is a short run on a small board with an ordinary computer.
func Default() Config {
	return Config{
		Iterations:        60,
		GamesPerIteration: 600,
		Passes:            3,
		BatchSize:         256,
		Shards:            2,
		Optimizer:         "adamw",
		LearningRate:      0.002,
		WarmupSteps:       100,
		Decay:             "cosine",
		FinalLearningRate: 0.00005,
		Momentum:          0.9,
		L2:                0.015,
		DecoupleL2:        true,
		MaxGradientNorm:   5,
		Average:           0.995,
		EvaluateEvery:     10,
		Gate:              Gate{Score: 0.55},
	}
}

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	err := limits.Check("train",
		limits.Int("iterations", c.Iterations, 1, checkpoint.MaxIteration),
		limits.Int("games_per_iteration", c.GamesPerIteration, 1, 1_000_000),
		limits.Above("passes", c.Passes, 0, 1000),
		limits.Int("batch_size", c.BatchSize, 1, 65536),
		limits.Int("shards", c.Shards, 1, 64),
		limits.OneOf("optimizer", c.Optimizer, "sgd", "adamw"),
		limits.Above("learning_rate", c.LearningRate, 0, 100),
		limits.Int("warmup_steps", c.WarmupSteps, 0, 1_000_000_000),
		limits.OneOf("decay", c.Decay, "none", "linear", "cosine"),
		limits.Float("final_learning_rate", c.FinalLearningRate, 0, 100),
		limits.Below("momentum", c.Momentum, 0, 1),
		limits.Float("weight_decay", c.WeightDecay, 0, 10),
		limits.Float("l2", c.L2, 0, 10),
		limits.Float("max_gradient_norm", c.MaxGradientNorm, 0, 1e9),
		limits.Below("average", c.Average, 0, 1),
		limits.Int("evaluate_every", c.EvaluateEvery, 0, checkpoint.MaxIteration),
		limits.Int("keep", c.Keep, 0, checkpoint.MaxIteration),
		limits.Int("gate.games", c.Gate.Games, 0, 1_000_000),
		limits.Float("gate.score", c.Gate.Score, 0, 1),
	)
	if err == nil && c.DecoupleL2 && c.Optimizer != "adamw" {
		err = fmt.Errorf("train.decouple_l2 is true, it is for train.optimizer adamw (with %s the gradient of train.l2 is a decay of the "+
			"weights as it is): leave it out", c.Optimizer)
	}
	if err == nil && c.BatchSize%c.Shards != 0 {
		err = fmt.Errorf("train.shards is %d, it must divide train.batch_size (%d)", c.Shards, c.BatchSize)
	}
	return err
}
