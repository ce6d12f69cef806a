package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/eval/rating"
	"tengen/internal/printable"
	"tengen/selfplay/cluster"
	"tengen/train"
	"tengen/train/checkpoint"
)

func TestElapsed(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0:00"},
		{499 * time.Millisecond, "0:00"},
		{500 * time.Millisecond, "0:01"},
		{59*time.Second + 499*time.Millisecond, "0:59"},
		{59*time.Second + 500*time.Millisecond, "1:00"},
		{10*time.Minute + 5*time.Second, "10:05"},
		{time.Hour - time.Second, "59:59"},
		{time.Hour - time.Millisecond, "1:00:00"},
		{25*time.Hour + 61*time.Second, "25:01:01"},
	} {
		if got := printable.Elapsed(c.d); got != c.want {
			t.Errorf("printable.Elapsed(%v) = %s, want %s", c.d, got, c.want)
		}
	}
}

// The status says what is going on in each phase, and the time left once an iteration has been timed.
func TestProgressStatus(t *testing.T) {
	metrics := &checkpoint.Metrics{Learning: &checkpoint.Learning{
		Loss: 9, Terms: []checkpoint.Term{{Name: "value", Loss: 0.412}, {Name: "policy", Loss: 1.512}}, Unseen: checkpoint.Unseen{UnseenValueLoss: 0.455, UnseenPolicyLoss: 1.634},
	}}
	for _, c := range []struct {
		event train.Event
		want  string
	}{
		{train.Event{Phase: train.PhaseSelfPlay, Done: 3, Total: 8}, "iter 4/9  game 3/8"},
		{train.Event{Phase: train.PhaseTrain, Done: 5, Total: 20, Metrics: metrics}, "iter 4/9  step 5/20  value 0.41/0.46 policy 1.51/1.63"},
		{train.Event{Phase: train.PhaseEvaluate, Done: 37, Total: 300}, "iter 4/9  evaluation 37/300"},
		{train.Event{Phase: train.PhasePublish, Metrics: &checkpoint.Metrics{}}, "iter 4/9  publishing"},
	} {
		p := newProgress(new(bytes.Buffer))
		c.event.Iteration, c.event.Iterations = 4, 9
		now := time.Now()
		p.pace.Observe(c.event, now)
		if got := p.status(now); got != c.want {
			t.Errorf("%s: the status is %q, want %q", c.event.Phase, got, c.want)
		}
	}

	p := newProgress(new(bytes.Buffer))
	now := time.Now()
	p.pace.Observe(train.Event{Iteration: 1, Iterations: 9, Phase: train.PhaseSelfPlay}, now)
	now = now.Add(10 * time.Hour)
	p.pace.Observe(train.Event{Iteration: 1, Iterations: 9, Phase: train.PhaseDone}, now)
	p.pace.Observe(train.Event{Iteration: 2, Iterations: 9, Phase: train.PhaseSelfPlay, Total: 100_000}, now)
	p.pace.Observe(train.Event{Iteration: 2, Iterations: 9, Phase: train.PhaseSelfPlay, Total: 100_000}, now)
	now = now.Add(time.Hour)
	p.pace.Observe(train.Event{Iteration: 2, Iterations: 9, Phase: train.PhaseSelfPlay, Done: 7200, Total: 100_000}, now)
	if got, want := p.status(now), "iter 2/9  game 7200/100000, 2.0/s  79:00:00 left"; got != want {
		t.Errorf("the status is %q, want %q", got, want)
	}
}

// The table has the losses of the value and the policy beside those on unseen positions, in lines of at most 80 columns.
func TestProgressLosses(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	p.start = time.Now().Add(-99 * time.Hour)
	m := &checkpoint.Metrics{Iteration: 100, Games: 60_000, Work: checkpoint.Work{GamesPerSecond: 12345},
		Play: checkpoint.Play{GameLength: 123.4, FirstPlayerShare: 1, DrawShare: 1},
		Learning: &checkpoint.Learning{Loss: 94.5, L2Loss: 90, Unseen: checkpoint.Unseen{UnseenValueLoss: 1.375, UnseenPolicyLoss: 2.625},
			Terms: []checkpoint.Term{{Name: "value", Loss: 1.25}, {Name: "policy", Loss: 2.5}, {Name: "reply", Loss: 1.75}}},
		Evaluation: map[string]rating.Tally{"alphabeta:8": {Wins: 400, Draws: 400, Losses: 400}},
		Grade:      &checkpoint.Grade{Positions: 500, Search: rating.Accuracy{Optimal: 1, KeepsValue: 1}, Policy: rating.Accuracy{Optimal: 1, KeepsValue: 1}},
		Exam:       []checkpoint.ExamPart{{Part: "beginning, medium", Search: rating.Proportion{Share: 0.5, Low: 0.4, High: 0.6}}},
	}
	p.observe(train.Event{Phase: train.PhaseDone, Metrics: m})
	p.observe(train.Event{Phase: train.PhaseDone, Metrics: &checkpoint.Metrics{}})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	rows := slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "      ") })
	for i, want := range []string{"value unseen policy unseen", "1.250 1.375 2.500 2.625", "- - - -"} {
		if got := strings.Join(strings.Fields(rows[i])[2:6], " "); got != want {
			t.Errorf("line %d has %q, want %q", i, got, want)
		}
	}
}

// The status line says which side waited longer, where it is known.
func TestProgressJoined(t *testing.T) {
	m := &checkpoint.Metrics{Seconds: checkpoint.Seconds{SelfPlay: 3, Total: 12, Rest: 9}}
	behind := &checkpoint.Metrics{Seconds: checkpoint.Seconds{Wait: 3, Total: 4, Rest: 1}}
	for _, c := range []struct {
		state cluster.Progress
		last  *checkpoint.Metrics
		want  string
	}{
		{cluster.Progress{Workers: 2}, nil, "2 workers"},
		{cluster.Progress{Workers: 2}, m, "2 workers waited 75 %"},
		{cluster.Progress{Workers: 1}, behind, "1 worker, training waited 75 %"},
		{cluster.Progress{Local: true}, m, "0 workers"},
		{cluster.Progress{Needed: 5}, m, "0 workers: waiting for one to join"},
		{cluster.Progress{Needed: 5, Workers: 1, Idle: time.Minute}, nil, "1 worker"},
		{cluster.Progress{Needed: 5, Workers: 1, Idle: 90 * time.Second}, m, "1 worker, without a game for 1:30"},
	} {
		p := newProgress(new(bytes.Buffer))
		p.gamesProgress = func() cluster.Progress { return c.state }
		now := time.Now()
		p.pace.Observe(train.Event{Iteration: 4, Iterations: 9, Phase: train.PhaseTrain, Done: 5, Total: 20, Metrics: c.last}, now)
		if got, want := p.status(now), "iter 4/9  step 5/20, "+c.want; got != want {
			t.Errorf("the status is %q, want %q", got, want)
		}
	}
}

func TestDescribeWorkers(t *testing.T) {
	statuses := []cluster.WorkerStatus{{Name: "a", GamesRate: 1.5}, {Name: "b", GamesRate: 20}, {Name: "c"}}
	statuses[0].State, statuses[1].State, statuses[2].State = "playing", "waiting", "banned"
	got := describeWorkers(statuses)
	if want := "a 1.50 games/s, b waiting, c banned"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestForecastText(t *testing.T) {
	for left, want := range map[time.Duration]string{
		89 * time.Second: "about 89 s on this machine (66 iterations)", 90 * time.Second: "about 2 min on this machine (66 iterations)",
		48 * time.Minute: "about 48 min on this machine (66 iterations)", 90 * time.Minute: "about 1.5 h on this machine (66 iterations)",
		72 * time.Hour: "about 3 days on this machine (66 iterations)",
	} {
		if got := forecastText(left, left/20, 66); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	const want = "about 3 min on this machine (20 iterations), 40 % of it for evaluations: "
	if got := forecastText(200*time.Second, 80*time.Second, 20); !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
