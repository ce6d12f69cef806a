package metrics

import "github.com/prometheus/client_golang/prometheus"

// family is a metric's name with all its label values.
type family struct {
	name string
	desc *prometheus.Desc
	kind prometheus.ValueType
}

// families lists all families in the order below.
var families []*family

// gauge declares a figure that goes up and down, counter one that only grows. Every family has the label "run".
func gauge(name, help string, labels ...string) *family {
	return declare(prometheus.GaugeValue, name, help, labels)
}

func counter(name, help string, labels ...string) *family {
	return declare(prometheus.CounterValue, name, help, labels)
}

func declare(kind prometheus.ValueType, name, help string, labels []string) *family {
	name = "tengen_" + name
	f := &family{name, prometheus.NewDesc(name, help, append([]string{"run"}, labels...), nil), kind}
	families = append(families, f)
	return f
}

// How far a run has come.
var (
	readable         = gauge("run_readable", "1 if the metrics of the run's directory can be read, else 0.")
	iteration        = gauge("iteration", "Iterations that the run has completed.")
	planned          = gauge("planned_iterations", "Iterations of the configuration.")
	games            = counter("games_total", "Self-play games that the run has learned from.")
	positions        = counter("positions_total", "Training positions of these games.")
	steps            = counter("steps_total", "Steps of gradient descent.")
	window           = gauge("window_positions", "Positions in the window that training draws from.")
	model            = gauge("model_iteration", "Iteration that made the newest published model.")
	lastIteration    = gauge("last_iteration_timestamp_seconds", "When the last iteration ended, in Unix time.")
	iterationSeconds = gauge("iteration_seconds", "Time that the last iteration took.")
	phaseSeconds     = counter("phase_seconds_total", "Time of all iterations by what it was spent on.", "phase")
	processorSeconds = counter("processor_seconds_total", "Processor time of all iterations, on all cores together.")
)

// The games of the last iteration.
var (
	gamesPerSecond       = gauge("selfplay_games_per_second", "Games that were finished in a second of self-play.")
	evaluationsPerSecond = gauge("selfplay_evaluations_per_second", "Positions that the network has scored in a second of self-play.")
	simulationsPerSecond = gauge("selfplay_simulations_per_second", "Simulations of the searches in a second of self-play.")
	cacheHits            = gauge("selfplay_cache_hit_ratio", "Share of the positions looked up in the cache of evaluations that were known.")
	gameLength           = gauge("game_length_moves", "Mean length of the games.")
	results              = gauge("result_ratio", "Share of the games that the first player won, that were drawn, that the second player won.", "result")
	resigned             = gauge("resigned_ratio", "Share of the games that ended by resignation.")
	testedResignations   = counter("tested_resignations_total", "Games of the run that were played on although a side would have resigned.")
	falseResignations    = counter("false_resignations_total", "Those of them which that side did not lose.")
)

// Losses of the last iteration that trained: means over its steps, in natural units.
var (
	objective     = gauge("objective", "What learning makes small: the losses, auxiliary heads' times their weights.")
	loss          = gauge("loss", "Loss of a head of the network, also on unseen positions, or of the L2 penalty.", "part")
	policyEntropy = gauge("policy_entropy_nats", "Entropy of the network's policy.")
	gradientNorm  = gauge("gradient_norm", "Euclidean norm of the gradient before it is limited.")
	learningRate  = gauge("learning_rate", "Learning rate of the last step.")
)

// Results of the newest evaluation.
var (
	score      = gauge("score_ratio", "Share of the points that the model won against a fixed opponent.", "opponent")
	scoreLow   = gauge("score_low_ratio", "Lower end of the score's 95 % interval.", "opponent")
	scoreHigh  = gauge("score_high_ratio", "Upper end of the score's 95 % interval.", "opponent")
	elo        = gauge("elo", "Rating of the model above the fixed opponent.")
	eloLow     = gauge("elo_low", "Lower end of the rating's 95 % interval.")
	eloHigh    = gauge("elo_high", "Upper end of the rating's 95 % interval.")
	optimal    = gauge("optimal_move_ratio", "Share of the moves that are the best, by perfect play.", "player")
	keepsValue = gauge("kept_result_ratio", "Share of the moves that keep a won position won and do not lose a drawn one.", "player")
	mistakes   = gauge("mistake_ratio", "Share of the moves that are not the best, by stage of the game.", "player", "stage")
	exam       = gauge("exam_ratio", "Share of right moves in a part of the game's exam.", "part", "player")
)

// What only the training process knows.
var (
	phase         = gauge("phase", "1 for what the run is doing now, 0 for the other phases.", "phase")
	phaseProgress = gauge("phase_progress_ratio", "How far the phase has come, where it has parts to count.")
	warnings      = counter("warnings_total", "Warnings of this process.")
	verified      = counter("verified_games_total", "Games of workers that this process has played again and that came out the same.")
	unverified    = counter("unverified_games_total", "Games of workers that were to be played again and could not.")
	caught        = gauge("workers_caught", "Workers whose tokens were revoked for false games, or for messages that are no games.")
	workers       = gauge("workers", "Workers that are connected.")
	workerGames   = counter("worker_games_total", "Games of a worker that this process has taken.", "worker")
	workerSpeed   = gauge("worker_games_per_second", "Games of a worker in a second, over about half a minute.", "worker")
)
