package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"tengen/internal/printable"
	"tengen/run"
	"tengen/selfplay/cluster"
	"tengen/train"
	"tengen/train/checkpoint"
)

// progress shows a training run: a line for each iteration and, on a terminal, a status line below them.
type progress struct {
	out    io.Writer
	errOut io.Writer
	live   *statusLine
	cfg    run.Config
	start  time.Time
	pace   train.Pace
	rows   *table // nil before the first row

	workers       func() []cluster.WorkerStatus // nil if no workers may join
	gamesProgress func() cluster.Progress       // nil if no workers may join
}

func newProgress(out, errOut io.Writer) *progress {
	return &progress{out: out, errOut: errOut, live: newStatusLine(out)}
}

// begin prints what is trained, where, and from which iteration.
func (p *progress) begin(t *run.Training, dir string, cfg run.Config) {
	p.cfg = cfg
	p.start, p.pace.First = time.Now(), t.Iteration()
	if t.Distributed() {
		p.workers, p.gamesProgress = t.Workers, t.GamesProgress
	}
	fmt.Fprintf(p.out, "%s, seed %d, %s a move\nnetwork: %s, %s\n", t.Game, p.cfg.Seed,
		run.Plural(p.cfg.Search.Simulations, "simulation"), p.cfg.Network(), run.Plural(t.Parameters, "parameter"))
	if t.Device != "" {
		fmt.Fprintf(p.out, "playing and learning on %s\n", printable.Text(t.Device, 200))
	}
	switch {
	case p.pace.First >= p.cfg.Train.Iterations:
		fmt.Fprintf(p.out, "%s has %s already: `%s train --run %s --set train.iterations=N` continues to iteration N\n",
			shown(dir), run.Plural(p.pace.First, "iteration"), called, printable.Word(dir))
	case p.pace.First > 0:
		fmt.Fprintf(p.out, "continuing %s after iteration %d of %d\n", shown(dir), p.pace.First, p.cfg.Train.Iterations)
	default:
		fmt.Fprintf(p.out, "training in %s, %s of %s\n", shown(dir), run.Plural(p.cfg.Train.Iterations, "iteration"), run.Plural(p.cfg.Train.GamesPerIteration, "game"))
	}
	for _, change := range t.Changed {
		fmt.Fprintf(p.out, "with %s\n", change)
	}
}

func (p *progress) device(text string) { fmt.Fprintln(p.out, text) }

func (p *progress) expect(left time.Duration, iterations int) {
	fmt.Fprintln(p.out, forecastText(left, iterations))
}

// forecastText describes a forecast.
func forecastText(left time.Duration, iterations int) string {
	text := fmt.Sprintf("%.0f s", left.Seconds())
	if left >= 48*time.Hour {
		text = fmt.Sprintf("%.0f days", left.Hours()/24)
	} else if left >= 90*time.Minute {
		text = fmt.Sprintf("%.1f h", left.Hours())
	} else if left >= 90*time.Second {
		text = fmt.Sprintf("%.0f min", left.Minutes())
	}
	return fmt.Sprintf("about %s on this machine (%s)", text, run.Plural(iterations, "iteration"))
}

func (p *progress) showJoin(i run.JoinInfo) {
	if i.Run != "" {
		fmt.Fprintf(p.out, "workers join at %s, run %s, with\n", i.Server, i.Run)
	} else {
		fmt.Fprintf(p.out, "workers join at %s; make a token for each with\n  %s\nand start each worker with\n", i.Server, i.Add)
	}
	fmt.Fprintln(p.out, "  "+i.Command)
}

func (p *progress) watch(page string) { fmt.Fprintf(p.out, "watch it at %s\n", page) }

// end prints how the run spent its time and how far it has come.
func (p *progress) end(t *run.Training, dir string, interrupted bool) {
	p.live.Clear()
	if all, err := checkpoint.ReadMetrics(dir); err == nil && t.Iteration() > p.pace.First {
		fmt.Fprintln(p.out, run.SpentText(all))
	}
	switch {
	case p.pace.First >= p.cfg.Train.Iterations:
		fmt.Fprintf(p.out, "play it with `%s play --against %s`\n", called, printable.Word("net:"+dir))
	case t.Iteration() >= p.cfg.Train.Iterations:
		fmt.Fprintf(p.out, "done after %s: play it with `%s play --against %s`\n", run.Elapsed(time.Since(p.start)), called, printable.Word("net:"+dir))
	case interrupted:
		fmt.Fprintf(p.out, "stopped after iteration %d of %d, games kept: the same command continues\n",
			t.Iteration(), p.cfg.Train.Iterations)
	}
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
	if p.rows == nil {
		p.rows = newTable(p.out, column{"iter", 5, 0}, column{"games", 7, 0},
			column{"value", 6, 0}, column{"unseen", 6, 1}, column{"policy", 6, 0}, column{"unseen", 6, 1},
			column{"games/s", 8, 0}, column{"1st/draw", 9, 2}, column{"moves", 6, 3}, column{"time", 8, 0})
		p.rows.header()
	}
	p.row(e.Metrics)
}

func (p *progress) warn(err error) {
	p.live.Clear()
	fmt.Fprintf(p.errOut, "%s: warning: %s\n", called, oneLine(err.Error()))
}

// row prints an iteration's line, and a line for each measurement.
func (p *progress) row(m *checkpoint.Metrics) {
	cells := []string{fmt.Sprint(m.Iteration), fmt.Sprint(m.Games)}
	cells = append(cells, losses(m, 3)...)
	p.rows.row(append(cells, fmt.Sprintf("%.2f", m.GamesPerSecond),
		fmt.Sprintf("%.0f/%-3.0f", 100*m.FirstPlayerShare, 100*m.DrawShare), fmt.Sprintf("%.1f", m.GameLength),
		run.Elapsed(time.Since(p.start)))...)
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
		fmt.Fprintf(p.out, "      exam, %s: %s, bare %s\n", e.Part, e.Search, e.Policy)
	}
}

// losses formats the losses of the value and the policy, each followed by the loss on unseen positions, "-" if unknown.
func losses(m *checkpoint.Metrics, digits int) []string {
	cells := []string{"-", "-", "-", "-"}
	if m.Learning == nil {
		return cells
	}
	for i, t := range m.Terms[:2] { // terms of auxiliary heads follow; only metrics.jsonl has them
		cells[2*i] = fmt.Sprintf("%.*f", digits, t.Loss)
	}
	if u := m.Unseen; u != nil {
		cells[1], cells[3] = fmt.Sprintf("%.*f", digits, u.UnseenValueLoss), fmt.Sprintf("%.*f", digits, u.UnseenPolicyLoss)
	}
	return cells
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
		text += "evaluation: matches and grades"
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
		text += "  " + run.Elapsed(left) + " left"
	}
	return text
}

// joined counts the workers and says which side waited longer in the last iteration, whose metrics may be nil.
func joined(state cluster.Progress, m *checkpoint.Metrics) string {
	text := run.Plural(state.Workers, "worker")
	switch {
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
