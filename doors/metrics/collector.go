package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"tengen/eval/rating"
	"tengen/train"
	"tengen/train/checkpoint"
)

type collector struct {
	runs      func() []Run
	mu        sync.Mutex
	histories map[Run]*history
}

func newCollector(runs func() []Run) *collector {
	return &collector{runs: runs, histories: make(map[Run]*history)}
}

// now returns the histories of the current runs.
func (c *collector) now() (list []*history) {
	runs := c.runs() // may wait for a disk
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range runs {
		if c.histories[r] == nil {
			c.histories[r] = &history{run: r}
		}
		list = append(list, c.histories[r])
	}
	return list
}

// Describe implements prometheus.Collector. It sends nothing, because a run's figures depend on its progress.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	for _, h := range c.now() {
		e := emitter{ch, strings.ToValidUTF8(h.run.Name, "\uFFFD")} // labels must be UTF-8
		s, err := h.read()
		e.gauge("run_readable", "1 if the metrics of the run's directory can be read, else 0.", number(err == nil))
		if err == nil && s.lines > 0 {
			e.progress(s)
			e.games(s)
			if s.learned != nil {
				e.learning(s.learned)
			}
			e.strength(s.evaluated)
		}
		if h.run.Feed != nil {
			e.live(h.run.Feed)
		}
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

type emitter struct {
	ch  chan<- prometheus.Metric
	run string
}

// gauge sends a figure that rises and falls. labels are names and values; "run" is added.
func (e emitter) gauge(name, help string, value float64, labels ...string) {
	e.send(prometheus.GaugeValue, name, help, value, labels)
}

// counter sends a figure that only rises.
func (e emitter) counter(name, help string, value float64, labels ...string) {
	e.send(prometheus.CounterValue, name, help, value, labels)
}

func (e emitter) send(kind prometheus.ValueType, name, help string, value float64, labels []string) {
	names, values := []string{"run"}, []string{e.run}
	for pair := range slices.Chunk(labels, 2) {
		names, values = append(names, pair[0]), append(values, pair[1])
	}
	desc := prometheus.NewDesc("tengen_"+name, help, names, nil)
	e.ch <- prometheus.MustNewConstMetric(desc, kind, value, values...)
}

// progress sends a run's progress and times.
func (e emitter) progress(s summary) {
	m := s.last
	e.gauge("iteration", "Iterations that the run has completed.", float64(m.Iteration))
	e.counter("games_total", "Self-play games that the run has learned from.", float64(m.Games))
	e.counter("positions_total", "Training positions of these games.", float64(m.Positions))
	e.counter("steps_total", "Steps of gradient descent.", float64(m.Step))
	e.gauge("window_positions", "Positions in the window that training draws from.", float64(m.Window))
	e.gauge("model_iteration", "Iteration that made the newest published model.", float64(m.Model))
	if !m.Time.IsZero() {
		e.gauge("last_iteration_timestamp_seconds", "When the last iteration ended, in Unix time.",
			float64(m.Time.UnixMilli())/1000)
	}
	e.gauge("iteration_seconds", "Time that the last iteration took.", m.Seconds.Total)
	for phase, seconds := range map[string]float64{
		"selfplay": s.spent.SelfPlay, "wait": s.spent.Wait, "verify": s.spent.Verify,
		"train": s.spent.Train, "evaluate": s.spent.Evaluate, "other": s.spent.Other(),
	} {
		e.counter("phase_seconds_total", "Time of all iterations by what it was spent on.", seconds, "phase", phase)
	}
	for phase, seconds := range map[string]float64{
		"network": s.cores.Network, "search": s.cores.Search, "log": s.cores.Log, "train": s.cores.Train,
		"idle": s.cores.Idle,
	} {
		e.counter("core_seconds_total", "Time of all iterations, added over this machine's cores, by what they did.",
			seconds, "phase", phase)
	}
	e.counter("processor_seconds_total", "Processor time of all iterations, on all cores together.", s.processor)
}

// games sends figures of the last iteration's games.
func (e emitter) games(s summary) {
	m := s.last
	e.gauge("selfplay_games_per_second", "Games that were finished in a second of self-play.", m.GamesPerSecond)
	e.gauge("selfplay_evaluations_per_second", "Positions that the network has scored in a second of self-play.",
		m.EvaluationsPerSecond)
	e.gauge("selfplay_simulations_per_second", "Simulations of the searches in a second of self-play.",
		m.SimulationsPerSecond)
	e.gauge("selfplay_cache_hit_ratio", "Share of the positions looked up in the cache of evaluations that were known.",
		m.CacheHitRate)
	e.gauge("game_length_moves", "Mean length of the games.", m.GameLength)
	for result, share := range map[string]float64{
		"first": m.FirstPlayerShare, "draw": m.DrawShare, "second": m.SecondPlayerShare,
	} {
		e.gauge("result_ratio", "Share of the games that the first player won, that were drawn, that the second player won.",
			share, "result", result)
	}
}

// learning sends the last training iteration's means over its steps, losses in natural units.
func (e emitter) learning(l *checkpoint.Learning) {
	e.gauge("objective", "What training minimises: the losses, with auxiliary heads' times their weights, and the L2 penalty.", l.Loss)
	terms := append(slices.Clone(l.Terms), checkpoint.Term{Name: "l2", Loss: l.L2Loss})
	if u := l.Unseen; u != nil {
		terms = append(terms, checkpoint.Term{Name: "unseen_value", Loss: u.UnseenValueLoss},
			checkpoint.Term{Name: "unseen_policy", Loss: u.UnseenPolicyLoss})
	}
	for _, t := range terms {
		e.gauge("loss", "Loss of a head of the network, also on unseen positions, or of the L2 penalty.", t.Loss, "part", t.Name)
	}
	e.gauge("policy_entropy_nats", "Entropy of the network's policy.", l.PolicyEntropy)
	e.gauge("gradient_norm", "Euclidean norm of the gradient before it is limited.", l.GradientNorm)
	e.gauge("learning_rate", "Learning rate of the last step.", l.LearningRate)
}

func (e emitter) strength(m checkpoint.Metrics) {
	for _, opponent := range slices.Sorted(maps.Keys(m.Evaluation)) {
		t := m.Evaluation[opponent]
		if t.Games() == 0 {
			continue
		}
		low, high := t.ScoreInterval()
		e.gauge("score_ratio", "Share of the points that the model won against a fixed opponent.", t.Score(),
			"opponent", opponent)
		e.gauge("score_low_ratio", "Lower end of the score's 95 % interval.", low, "opponent", opponent)
		e.gauge("score_high_ratio", "Upper end of the score's 95 % interval.", high, "opponent", opponent)
	}
	if g := m.Grade; g != nil {
		e.accuracy(g.Search, "search")
		e.accuracy(g.Policy, "policy")
	}
	for _, part := range m.Exam {
		for player, right := range map[string]checkpoint.Proportion{"search": part.Search, "policy": part.Policy} {
			e.gauge("exam_ratio", "Share of right moves in a part of the game's exam.", right.Share,
				"part", part.Part, "player", player)
		}
	}
}

// accuracy sends a model's accuracy by perfect play, with or without search.
func (e emitter) accuracy(a rating.Accuracy, player string) {
	e.gauge("optimal_move_ratio", "Share of the moves that are the best, by perfect play.", a.Optimal, "player", player)
	e.gauge("kept_result_ratio", "Share of the moves that keep a won position won and do not lose a drawn one.",
		a.KeepsValue, "player", player)
	for stage, share := range a.Mistakes {
		e.gauge("mistake_ratio", "Share of the moves that are not the best, by stage of the game.", share,
			"player", player, "stage", stage)
	}
}

// live sends the training process's figures.
func (e emitter) live(f *Feed) {
	e.counter("warnings_total", "Warnings of this process.", float64(f.warnings.Load()))
	e.gauge("device", "Always 1; the label is what evaluates the positions of self-play.", 1, "device", cmp.Or(f.Device, "processor"))
	if event := f.event.Load(); event != nil {
		e.gauge("planned_iterations", "Iterations of the configuration.", float64(event.Iterations))
		for _, p := range train.Phases {
			e.gauge("phase", "1 for what the run is doing now, 0 for the other phases.", number(p == event.Phase),
				"phase", string(p))
		}
		if event.Total > 0 {
			e.gauge("phase_progress_ratio", "How far the phase has come, where it has parts to count.",
				float64(event.Done)/float64(event.Total))
		}
	}
	if f.GamesProgress != nil {
		p := f.GamesProgress()
		e.counter("verified_games_total",
			"Games of workers that this process has played again and that came out the same.", float64(p.Verified))
	}
	if f.Workers == nil {
		return
	}
	connected, banned := 0, 0
	for _, w := range f.Workers() {
		if w.Banned != "" {
			banned++
			continue
		}
		if w.Connected {
			connected++
		}
		e.counter("worker_games_total", "Games of a worker that this process has taken.", float64(w.Games),
			"worker", w.Name)
		e.gauge("worker_games_per_second", "Games of a worker in a second, over about half a minute.", w.GamesRate,
			"worker", w.Name)
	}
	e.gauge("workers", "Workers that are connected.", float64(connected))
	e.gauge("workers_caught", "Workers whose tokens were revoked for false games, or for messages that are no games.",
		float64(banned))
}
