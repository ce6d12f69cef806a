package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/run"
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
		if got := run.Elapsed(c.d); got != c.want {
			t.Errorf("run.Elapsed(%v) = %s, want %s", c.d, got, c.want)
		}
	}
}

// The status says what is going on in each phase, and the time left once an iteration has been timed.
func TestProgressStatus(t *testing.T) {
	metrics := &checkpoint.Metrics{Learning: &checkpoint.Learning{Loss: 1.25}}
	for _, c := range []struct {
		event train.Event
		want  string
	}{
		{train.Event{Phase: train.PhaseSelfPlay, Done: 3, Total: 8}, "iteration 4/9  self-play, game 3/8"},
		{train.Event{Phase: train.PhaseTrain, Done: 5, Total: 20, Metrics: metrics}, "iteration 4/9  learning, step 5/20  loss 1.250"},
		{train.Event{Phase: train.PhaseGate}, "iteration 4/9  match against the model before"},
		{train.Event{Phase: train.PhaseEvaluate}, "iteration 4/9  evaluation: matches and grades"},
		{train.Event{Phase: train.PhasePublish, Metrics: &checkpoint.Metrics{}}, "iteration 4/9  publishing"},
	} {
		p := newProgress(new(bytes.Buffer), new(bytes.Buffer), run.DefaultConfig())
		c.event.Iteration, c.event.Iterations = 4, 9
		now := time.Now()
		p.pace.Observe(c.event, now)
		if got := p.status(now); got != c.want {
			t.Errorf("%s: the status is %q, want %q", c.event.Phase, got, c.want)
		}
	}

	p := newProgress(new(bytes.Buffer), new(bytes.Buffer), run.DefaultConfig())
	now := time.Now()
	p.pace.Observe(train.Event{Iteration: 1, Iterations: 9, Phase: train.PhaseSelfPlay}, now)
	now = now.Add(10 * time.Hour)
	p.pace.Observe(train.Event{Iteration: 1, Iterations: 9, Phase: train.PhaseDone}, now)
	p.pace.Observe(train.Event{Iteration: 2, Iterations: 9, Phase: train.PhaseSelfPlay, Total: 100_000}, now)
	p.pace.Observe(train.Event{Iteration: 2, Iterations: 9, Phase: train.PhaseSelfPlay, Total: 100_000}, now)
	now = now.Add(time.Hour)
	p.pace.Observe(train.Event{Iteration: 2, Iterations: 9, Phase: train.PhaseSelfPlay, Done: 7200, Total: 100_000}, now)
	if got, want := p.status(now), "iteration 2/9  self-play, game 7200/100000, 2.0 games/s  about 79:00:00 left"; got != want {
		t.Errorf("the status is %q, want %q", got, want)
	}
}

// The table has a column for each head that plays; auxiliary ones are part of the loss alone.
func TestProgressLosses(t *testing.T) {
	var out bytes.Buffer
	cfg := run.DefaultConfig()
	cfg.Net.ReplyWeight, cfg.Net.OccupancyWeight = 0.15, 0.15
	p := newProgress(&out, new(bytes.Buffer), cfg)
	p.start = time.Now()
	p.observe(train.Event{Phase: train.PhaseDone, Metrics: &checkpoint.Metrics{Learning: &checkpoint.Learning{
		Loss: 4.5, Terms: []checkpoint.Term{{Name: "value", Loss: 1.25}, {Name: "policy", Loss: 2.5}, {Name: "reply", Loss: 1.75}, {Name: "occupancy", Loss: 1.125}},
	}}})
	lines := strings.Split(out.String(), "\n")
	for i, want := range [][]string{{"loss", "value", "policy", "games/s"}, {"4.500", "1.250", "2.500", "0.00"}} {
		if got := strings.Fields(lines[i])[3:7]; !slices.Equal(got, want) {
			t.Errorf("line %d has %q, want %q", i, got, want)
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
