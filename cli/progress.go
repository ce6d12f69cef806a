package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"tengen/eval/rating"
	"tengen/internal/printable"
	"tengen/run"
	"tengen/selfplay/cluster"
	"tengen/train"
	"tengen/train/checkpoint"
)

// progress shows a training: a line for each iteration and, on a terminal, a status line below them.
type progress struct {
	out   io.Writer
	live  *statusLine
	start time.Time
	pace  train.Pace
	rows  bool // the first row is written
	batch int  // train.batch_size

	workers       func() []cluster.WorkerStatus // nil if no workers may join
	gamesProgress func() cluster.Progress       // nil if no workers may join
}

func newProgress(out io.Writer) *progress {
	return &progress{out: out, live: newStatusLine(out)}
}

// beginning says what is trained, where, and from which iteration.
func (c *trainCommand) beginning() string {
	t, wanted := c.training, c.cfg.Train
	lines := []string{
		fmt.Sprintf("%s, seed %d, %s a move", t.Game, c.cfg.Seed, printable.Plural(c.cfg.Search.Simulations, "simulation")),
		fmt.Sprintf("network: %s, %s", c.cfg.Network(), printable.Plural(t.Parameters, "parameter")),
	}
	if t.Device != "" {
		lines = append(lines, "playing and learning on "+printable.Text(t.Device, 200))
	}
	switch {
	case c.from >= wanted.Iterations:
		lines = append(lines, fmt.Sprintf("%s has %s already: `%s train --run %s --set train.iterations=N` continues to iteration N",
			shown(c.dir), printable.Plural(c.from, "iteration"), called, printable.Word(c.dir)))
	case c.from > 0:
		lines = append(lines, fmt.Sprintf("continuing %s after iteration %d of %d", shown(c.dir), c.from, wanted.Iterations))
	default:
		lines = append(lines, fmt.Sprintf("training in %s, %s of %s", shown(c.dir),
			printable.Plural(wanted.Iterations, "iteration"), printable.Plural(wanted.GamesPerIteration, "game")))
	}
	for _, change := range t.Changed {
		lines = append(lines, "with "+change)
	}
	return strings.Join(lines, "\n")
}

// forecastText describes a forecast. It names the part of evaluations if that is more than they should take.
func forecastText(left, evaluating time.Duration, iterations int) string {
	text := fmt.Sprintf("%.0f s", left.Seconds())
	if left >= 48*time.Hour {
		text = fmt.Sprintf("%.0f days", left.Hours()/24)
	} else if left >= 90*time.Minute {
		text = fmt.Sprintf("%.1f h", left.Hours())
	} else if left >= 90*time.Second {
		text = fmt.Sprintf("%.0f min", left.Minutes())
	}
	text = fmt.Sprintf("about %s on this machine (%s)", text, printable.Plural(iterations, "iteration"))
	if share := float64(evaluating) / float64(left); share > 0.05 {
		text += fmt.Sprintf(", %.0f %% of it for evaluations: fewer eval.games, a weaker eval.against or a larger train.evaluate_every save that", 100*share)
	}
	return text
}

func joinText(i run.JoinInfo) string {
	if i.Run != "" {
		return fmt.Sprintf("workers join at %s, run %s, with\n  %s %s", i.Server, i.Run, called, i.Command)
	}
	return fmt.Sprintf("workers join at %s; make a token for each with\n  %[2]s %[3]s\nand start each worker with\n  %[2]s %[4]s", i.Server, called, i.Add, i.Command)
}

// ending says how the run spent its time and how far it has come.
func (c *trainCommand) ending(interrupted bool) string {
	var lines []string
	last, wanted := c.training.Iteration(), c.cfg.Train.Iterations
	play := fmt.Sprintf("play it with `%s play --against %s`", called, printable.Word("net:"+c.dir))
	if all, err := checkpoint.ReadMetrics(c.dir); err == nil && last > c.from {
		lines = append(lines, run.SpentText(all))
		if all[len(all)-1].Model == 0 {
			play = "it has learned nothing, for the reasons above"
		}
	}
	switch {
	case c.from >= wanted:
		lines = append(lines, play)
	case last >= wanted:
		lines = append(lines, fmt.Sprintf("done after %s: %s", printable.Elapsed(time.Since(c.progress.start)), play))
	case interrupted:
		lines = append(lines, fmt.Sprintf("stopped after iteration %d of %d, games kept: the same command continues", last, wanted))
	}
	return strings.Join(lines, "\n")
}

// observe is run.TrainConfig.Observe.
func (p *progress) observe(e train.Event) {
	if p.pace.Observe(e, time.Now()) {
		p.live.Hurry()
	}
	if e.Phase != train.PhaseDone {
		p.live.Set(p.status(time.Now()))
		return
	}
	p.live.Clear()
	if !p.rows {
		fmt.Fprintf(p.out, rowFormat, "iter", "games", "value", "unseen", "policy", "unseen", "games/s", "1st/draw", "moves", "time")
		p.rows = true
	}
	p.row(e.Metrics)
}

const rowFormat = "%5v %7v %6s %6s %6s %6s %8s %9s %6s %8s\n"

// row prints an iteration's line, and a line for each measurement.
func (p *progress) row(m *checkpoint.Metrics) {
	l := losses(m, 3)
	fmt.Fprintf(p.out, rowFormat, m.Iteration, m.Games, l[0], l[1], l[2], l[3], fmt.Sprintf("%.2f", m.GamesPerSecond),
		fmt.Sprintf("%.0f/%-3.0f", 100*m.FirstPlayerShare, 100*m.DrawShare), fmt.Sprintf("%.1f", m.GameLength),
		printable.Elapsed(time.Since(p.start)))
	if m.Learning == nil {
		fmt.Fprintf(p.out, "      nothing learned: %s\n", nothingLearned(m, p.batch))
	}
	if p.workers != nil && len(p.workers()) > 0 {
		fmt.Fprintf(p.out, "      workers: %s\n      %s\n", describeWorkers(p.workers()), run.WaitText(m.Seconds))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Evaluation)) {
		s := m.Evaluation[name]
		fmt.Fprintf(p.out, "      against %s: %.1f %% (%v)\n", name, 100*s.Score(), s)
	}
	if g := m.Grade; g != nil {
		fmt.Fprintf(p.out, "      best moves %.1f %%, result kept %.1f %%; bare network %.1f %%, %.1f %%\n",
			100*g.Search.Optimal, 100*g.Search.KeepsValue, 100*g.Policy.Optimal, 100*g.Policy.KeepsValue)
	}
	for _, e := range m.Exam {
		percent := func(p rating.Proportion) string {
			return fmt.Sprintf("%.1f %% (%.1f to %.1f)", 100*p.Share, 100*p.Low, 100*p.High)
		}
		fmt.Fprintf(p.out, "      exam, %s: %s, bare %s\n", e.Part, percent(e.Search), percent(e.Policy))
	}
}

// nothingLearned says why an iteration could not learn, and what to change.
func nothingLearned(m *checkpoint.Metrics, batch int) string {
	if m.Window < batch {
		return fmt.Sprintf("%s, but a step needs %d:\n      raise train.games_per_iteration or lower train.batch_size",
			printable.Plural(m.Window, "position"), batch)
	}
	return "openings took all moves:\n      lower selfplay.opening_plies and selfplay.openings.deep_plies"
}

// losses formats the losses of the value and the policy, each followed by the loss on unseen positions. All are "-" if
// the iteration learned nothing.
func losses(m *checkpoint.Metrics, digits int) []string {
	if m.Learning == nil {
		return []string{"-", "-", "-", "-"}
	}
	number := func(loss float64) string { return fmt.Sprintf("%.*f", digits, loss) }
	value, policy := m.Terms[0].Loss, m.Terms[1].Loss // auxiliary heads follow; only metrics.jsonl has them
	return []string{number(value), number(m.UnseenValueLoss), number(policy), number(m.UnseenPolicyLoss)}
}

// status returns the status line: the phase, its progress, and the run's remaining time.
func (p *progress) status(now time.Time) string {
	e := p.pace.Event()
	text := fmt.Sprintf("iter %d/%d  ", e.Iteration, e.Iterations)
	switch e.Phase {
	case train.PhaseSelfPlay:
		text += fmt.Sprintf("game %d/%d", e.Done, e.Total)
		if games := p.pace.GamesPerSecond(now); games > 0 && p.pace.InPhase(now) > time.Second {
			text += fmt.Sprintf(", %.1f/s", games)
		}
	case train.PhaseTrain:
		text += fmt.Sprintf("step %d/%d", e.Done, e.Total)
	case train.PhaseEvaluate:
		text += "evaluation"
		if e.Total > 0 {
			text += fmt.Sprintf(" %d/%d", e.Done, e.Total)
		}
	case train.PhasePublish:
		text += "publishing"
	}
	if p.gamesProgress != nil {
		text += ", " + joined(p.gamesProgress(), e.Metrics)
	}
	if m := e.Metrics; m != nil && m.Learning != nil {
		l := losses(m, 2)
		text += fmt.Sprintf("  value %s/%s policy %s/%s", l[0], l[1], l[2], l[3])
	}
	if left := p.pace.Left(now); left > 0 {
		text += "  " + printable.Elapsed(left) + " left"
	}
	return text
}

// joined counts the workers and says which side waited longer in the last iteration, whose metrics may be nil.
func joined(state cluster.Progress, m *checkpoint.Metrics) string {
	text := printable.Plural(state.Workers, "worker")
	switch {
	case state.Waits() && state.Workers > 0:
		return fmt.Sprintf("%s, without a game for %s", text, printable.Elapsed(state.Idle))
	case state.Waits():
		return text + ": waiting for one to join"
	case state.Workers == 0 || m == nil:
		return text
	}
	training, workers := m.Seconds.Waiting()
	if training < workers {
		return fmt.Sprintf("%s waited %.0f %%", text, 100*workers)
	}
	return fmt.Sprintf("%s, training waited %.0f %%", text, 100*training)
}

func describeWorkers(workers []cluster.WorkerStatus) string {
	var list []string
	for _, w := range workers {
		if w.State == "playing" {
			list = append(list, fmt.Sprintf("%s %.2f games/s", w.Name, w.GamesRate))
		} else {
			list = append(list, w.Name+" "+w.State)
		}
	}
	return strings.Join(list, ", ")
}

// trainLog returns a run.TrainConfig.Observe that logs a record for each phase, and for each iteration with the fields
// of metrics.jsonl. workers is as in progress.
func trainLog(log *slog.Logger, workers func() []cluster.WorkerStatus) func(train.Event) {
	var phase train.Phase
	return func(e train.Event) {
		if e.Phase == phase {
			return
		}
		phase = e.Phase
		if phase != train.PhaseDone {
			log.Info("phase", "phase", phase, "iteration", e.Iteration, "iterations", e.Iterations)
			return
		}
		attrs := jsonAttrs(e.Metrics)
		if workers != nil {
			attrs = append(attrs, slog.Any("workers", workers()))
		}
		log.LogAttrs(context.Background(), slog.LevelInfo, "iteration", attrs...)
	}
}
