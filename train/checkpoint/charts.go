package checkpoint

import "tengen/eval/rating"

// Chart is a picture of runs: series of values against a run's progress.
type Chart struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Scale Scale  `json:"axis"`
	Group Group  `json:"group"`
	About string `json:"about"` // an explanation in one sentence

	points func(m *Metrics) []Point // an iteration's; nil if a command measures them, see Measured
}

// Describe returns the chart's name, unit and explanation.
func (c Chart) Describe() string {
	name := c.Name
	if c.Unit != "" {
		name += ", " + c.Unit
	}
	return name + ": " + c.About
}

// Scale says how a chart's vertical axis is divided.
type Scale string

const (
	Linear      Scale = "linear"
	Logarithmic Scale = "logarithmic" // cannot show 0
)

// Group is a chart's subject.
type Group string

const (
	GroupStrength Group = "Strength"
	GroupLosses   Group = "Losses"
	GroupLearning Group = "Learning"
	GroupGames    Group = "Games"
	GroupSpeed    Group = "Speed"
)

// The charts that commands measure from a run's models.
const (
	LadderChart = "ladder"
	GradesChart = "grades"
)

// Charts lists all charts, group by group. Everything that draws a run's curves reads this list.
var Charts = []Chart{
	{"score", "Score", "%", Linear, GroupStrength, "Points won against fixed opponents, with 95 % intervals.", scores},
	{"best", "Best moves", "%", Linear, GroupStrength, "Moves that are among the best under perfect play, with 95 % intervals.",
		graded(func(series string, a rating.Accuracy, n int) Point { return share(series, a.Optimal, n) })},
	{"mistakes", "Mistakes", "%", Linear, GroupStrength,
		"Moves of the search that are not among the best, by stage of the game, with 95 % intervals.", mistakes},
	{"kept", "Results kept", "%", Linear, GroupStrength, "Moves that keep a won position won and do not lose a drawn one.",
		graded(func(series string, a rating.Accuracy, _ int) Point { return percent(series, a.KeepsValue) })},
	{"lost", "Score lost", "", Linear, GroupStrength, "Mean difference to the best move, in the solver's scores.",
		graded(func(series string, a rating.Accuracy, _ int) Point { return plain(series, a.ScoreLost) })},
	{"told", "Results predicted", "%", Linear, GroupStrength, "Positions where the value predicts the result under perfect play.",
		graded(func(series string, a rating.Accuracy, _ int) Point { return percent(series, a.SignAccuracy) })},
	{"exam", "Exam", "%", Linear, GroupStrength, "Right moves of the search in the parts of the game's exam, with 95 % intervals.",
		examined(func(e ExamPart) rating.Proportion { return e.Search })},
	{"bare", "Exam of the bare network", "%", Linear, GroupStrength,
		"Right moves of the policy alone in the parts of the game's exam, with 95 % intervals.",
		examined(func(e ExamPart) rating.Proportion { return e.Policy })},
	{LadderChart, "Ladder", "Elo", Linear, GroupStrength,
		"Ratings that tengen ladder gave the run's models, with 95 % intervals.", nil},
	{GradesChart, "Mistakes of the models", "%", Linear, GroupStrength,
		"Moves that are not among the best, as tengen grade measured them, with 95 % intervals.", nil},

	{"losses", "Losses", "nats", Linear, GroupLosses,
		"The loss of each of the network's heads in training, and on new positions before the network learns from them.", losses},
	{"objective", "Objective", "nats", Linear, GroupLosses,
		"What training minimises, apart from the L2 penalty: the losses, with auxiliary heads' times their weights.",
		learned(func(l *Learning) float64 { return l.Loss - l.L2Loss })},
	{"penalty", "L2 penalty", "nats", Linear, GroupLosses, "What training minimises besides the objective; it grows with the weights.",
		learned(func(l *Learning) float64 { return l.L2Loss })},

	{"entropy", "Entropy", "nats", Linear, GroupLearning, "How undecided the network's policy is.",
		learned(func(l *Learning) float64 { return l.PolicyEntropy })},
	{"gradient", "Gradient", "", Logarithmic, GroupLearning, "Euclidean norm of the gradient before it is limited.",
		learned(func(l *Learning) float64 { return l.GradientNorm })},
	{"rate", "Learning rate", "", Logarithmic, GroupLearning, "Learning rate of the last step of an iteration.",
		learned(func(l *Learning) float64 { return l.LearningRate })},
	{"steps", "Steps", "", Linear, GroupLearning, "Steps of gradient descent so far.",
		single(func(m *Metrics) float64 { return float64(m.Step) })},
	{"models", "Models", "iteration", Linear, GroupLearning, "The finished iteration, and the iteration that made the newest model.",
		func(m *Metrics) []Point {
			return []Point{plain("ended", float64(m.Iteration)), plain("newest model", float64(m.Model))}
		}},

	{"results", "Results", "%", Linear, GroupGames, "How self-play games end.",
		func(m *Metrics) []Point {
			return []Point{percent("first wins", m.FirstPlayerShare), percent("draw", m.DrawShare), percent("second wins", m.SecondPlayerShare)}
		}},
	{"length", "Length", "moves", Linear, GroupGames, "Mean length of the self-play games.",
		single(func(m *Metrics) float64 { return m.GameLength })},
	{"positions", "Positions", "", Linear, GroupGames, "Training positions of all games so far, and those in the window that training draws from.",
		func(m *Metrics) []Point {
			return []Point{plain("of all games", float64(m.Positions)), plain("in the window", float64(m.Window))}
		}},

	{"games", "Games a second", "", Linear, GroupSpeed, "Self-play games finished per second.",
		single(func(m *Metrics) float64 { return m.GamesPerSecond })},
	{"searches", "Search speed", "", Linear, GroupSpeed, "Simulations and network evaluations per second in self-play.",
		func(m *Metrics) []Point {
			return []Point{plain("simulations", m.SimulationsPerSecond), plain("evaluations", m.EvaluationsPerSecond)}
		}},
	{"known", "Cache hits", "%", Linear, GroupSpeed, "Lookups in the evaluation cache that found the position.",
		single(func(m *Metrics) float64 { return 100 * m.CacheHitRate })},
	{"time", "Time", "s", Linear, GroupSpeed, "An iteration's time and its parts, and its processor time over all cores.", times},
	{"cores", "Cores", "s", Linear, GroupSpeed,
		"An iteration's time summed over the cores: network and search in self-play, training, writing games, and idle.", cores},
}
