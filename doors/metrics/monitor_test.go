package metrics

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tengen/eval/rating"
	"tengen/selfplay/cluster"
	"tengen/train"
	"tengen/train/checkpoint"
)

// lines are the metrics of two iterations. Only the second was evaluated.
func lines() []checkpoint.Metrics {
	learning := &checkpoint.Learning{
		Loss: 3.5, Terms: []checkpoint.Term{{Name: "value", Loss: 0.5}, {Name: "policy", Loss: 1.5}}, L2Loss: 1.5, LearningRate: 0.002,
		Unseen: checkpoint.Unseen{UnseenValueLoss: 0.625, UnseenPolicyLoss: 1.75},
	}
	return []checkpoint.Metrics{
		{Iteration: 1, Games: 100, Seconds: checkpoint.Seconds{SelfPlay: 3, Total: 5}, CPUSeconds: 8, CoreSeconds: checkpoint.CoreSeconds{Network: 4, Idle: 2}},
		{Iteration: 2, Games: 200, Positions: 1500, Step: 12, Window: 900, Model: 2, Learning: learning,
			Work:       checkpoint.Work{GamesPerSecond: 25, CacheHitRate: 0.25},
			Play:       checkpoint.Play{GameLength: 7.5, FirstPlayerShare: 0.5, DrawShare: 0.25, SecondPlayerShare: 0.25},
			Evaluation: map[string]rating.Tally{"uct:1000": {Wins: 3, Losses: 1}},
			Grade:      &checkpoint.Grade{Positions: 20, Search: rating.Accuracy{Optimal: 0.9, Mistakes: map[string]float64{"middle": 0.1}}},
			Exam:       []checkpoint.ExamPart{{Part: "end, easy", Positions: 5, Search: rating.Proportion{Share: 0.8}}},
			Seconds:    checkpoint.Seconds{SelfPlay: 4, Train: 1, Total: 6}, CPUSeconds: 9,
			CoreSeconds: checkpoint.CoreSeconds{Network: 3, Search: 2.5, Log: 0.125, Train: 1.5, Idle: 1},
			Time:        time.Date(2026, 1, 2, 3, 4, 5, 500e6, time.UTC)},
	}
}

// writeMetrics makes a directory with a metrics.jsonl.
func writeMetrics(t *testing.T, dir string, all []checkpoint.Metrics) string {
	t.Helper()
	var content []byte
	for _, m := range all {
		line, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		content = append(append(content, line...), '\n')
	}
	if err := os.WriteFile(checkpoint.MetricsFile(dir), content, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// watched is a run whose process feeds it, with a worker.
func watched(t *testing.T) Run {
	f := &Feed{
		Workers: func() []cluster.WorkerStatus {
			return []cluster.WorkerStatus{{Name: "elsewhere-A", Connected: true, Games: 12, GamesRate: 2.5}, {Name: "false", Banned: "a false game"}}
		},
		GamesProgress: func() cluster.Progress { return cluster.Progress{Verified: 11} },
	}
	f.Observe(train.Event{Iteration: 3, Iterations: 40, Phase: train.PhaseTrain, Done: 5, Total: 20})
	f.Warn(errors.New("the disk is nearly full"))
	return Run{Name: "mine", Dir: writeMetrics(t, t.TempDir(), lines()), Feed: f}
}

// handler answers all patterns.
func handler(runs ...Run) http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range Handlers("v1", func() []Run { return runs }) {
		mux.Handle(pattern, h)
	}
	return mux
}

func get(t *testing.T, h http.Handler, path string) (status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

// The figures come from the newest line. A chart comes from the newest line that has points of it.
func TestFigures(t *testing.T) {
	_, body := get(t, handler(watched(t)), "/metrics")
	got := strings.Split(body, "\n")
	for _, want := range []string{
		`tengen_build_info{version="v1"} 1`,
		`tengen_run_readable{run="mine"} 1`,
		`tengen_iteration{run="mine"} 2`,
		`tengen_planned_iterations{run="mine"} 40`,
		`tengen_games_total{run="mine"} 200`,
		`tengen_last_iteration_timestamp_seconds{run="mine"} 1.7673230455e+09`,
		`tengen_verified_games_total{run="mine"} 11`,
		`tengen_workers_caught{run="mine"} 1`,
		`tengen_iteration_seconds{run="mine"} 6`,
		`tengen_steps_total{run="mine"} 12`,
		`tengen_chart_games{run="mine",series=""} 25`,
		`tengen_chart_results{run="mine",series="draw"} 25`,
		`tengen_chart_losses{run="mine",series="policy, unseen"} 1.75`,
		`tengen_chart_score{run="mine",series="uct:1000"} 75`,
		`tengen_chart_score_high{run="mine",series="uct:1000"} 95.44127655029297`,
		`tengen_chart_time{run="mine",series="training"} 1`,
		`tengen_phase{phase="train",run="mine"} 1`,
		`tengen_phase{phase="selfplay",run="mine"} 0`,
		`tengen_phase_progress_ratio{run="mine"} 0.25`,
		`tengen_warnings_total{run="mine"} 1`,
		`tengen_device{device="processor",run="mine"} 1`,
		`tengen_workers{run="mine"} 1`,
		`tengen_worker_games_total{run="mine",worker="elsewhere-A"} 12`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no line %s", want)
		}
	}
	if t.Failed() {
		t.Log(body)
	}
}

// The metrics of two runs keep to Prometheus's conventions, by the rules of promtool.
func TestConventions(t *testing.T) {
	runs := []Run{watched(t), watched(t)}
	runs[1].Name = "another"
	problems, err := testutil.CollectAndLint(newCollector(func() []Run { return runs }))
	if err != nil || len(problems) > 0 {
		t.Errorf("lint says %v, %v", problems, err)
	}
}

// A run that grows is read again, one that has not begun is no error, one that cannot be read hides nothing else, and
// a name need not be UTF-8.
func TestRunsChange(t *testing.T) {
	going, empty, broken := t.TempDir(), t.TempDir(), t.TempDir()
	writeMetrics(t, going, lines()[:1])
	if err := os.Mkdir(filepath.Join(broken, "metrics.jsonl"), 0o755); err != nil {
		t.Fatal(err)
	}
	h := handler([]Run{
		{Name: "going", Dir: going}, {Name: "empty", Dir: empty}, {Name: "broken", Dir: broken},
		{Name: "no text\xff", Dir: writeMetrics(t, t.TempDir(), lines())},
	}...)
	check := func(want ...string) {
		t.Helper()
		status, body := get(t, h, "/metrics")
		for _, line := range want {
			if status != http.StatusOK || !strings.Contains(body, line+"\n") {
				t.Errorf("status %d, there is no line %s", status, line)
			}
		}
	}
	check("tengen_iteration{run=\"no text\uFFFD\"} 2", `tengen_iteration{run="going"} 1`, `tengen_run_readable{run="empty"} 1`, `tengen_run_readable{run="broken"} 0`)
	writeMetrics(t, going, lines())
	check(`tengen_iteration{run="going"} 2`)
	writeMetrics(t, going, append(lines(), checkpoint.Metrics{Iteration: 3, Games: 300}))
	check(`tengen_iteration{run="going"} 3`, `tengen_chart_length{run="going",series=""} 0`, // an iteration that evaluates nothing
		`tengen_chart_score{run="going",series="uct:1000"} 75`)
}

func TestHealth(t *testing.T) {
	if status, body := get(t, handler(), "/healthz"); status != http.StatusOK || body != "ok\n" {
		t.Errorf("%d %q", status, body)
	}
}

// Profiles are for this machine: not for another, not through a proxy, not for a name that leads here.
func TestProfilesAreForLoopback(t *testing.T) {
	h := handler()
	for _, c := range []struct {
		remote, host, header string
		want                 int
	}{
		{"127.0.0.1:4000", "127.0.0.1:7070", "", http.StatusOK},
		{"[::1]:4000", "localhost:7070", "", http.StatusOK},
		{"[::ffff:127.0.0.1]:4000", "localhost", "", http.StatusOK},
		{"192.0.2.1:4000", "127.0.0.1:7070", "", http.StatusForbidden},
		{"127.0.0.1:4000", "evil.example", "", http.StatusForbidden},
		{"127.0.0.1:4000", "127.0.0.1.evil.example:80", "", http.StatusForbidden},
		{"127.0.0.1:4000", "localhost", "X-Forwarded-For", http.StatusForbidden},
		{"127.0.0.1:4000", "localhost", "Forwarded", http.StatusForbidden},
		{"", "localhost", "", http.StatusForbidden},
	} {
		r := httptest.NewRequest("GET", "/debug/pprof/goroutine?debug=1", nil)
		r.RemoteAddr, r.Host = c.remote, c.host
		if c.header != "" {
			r.Header.Set(c.header, "192.0.2.1")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want || (w.Code == http.StatusOK) != strings.Contains(w.Body.String(), "goroutine profile") {
			t.Errorf("%+v: status %d", c, w.Code)
		}
	}
}

// Whatever else is asked for, or with another method, is not answered.
func TestOtherPaths(t *testing.T) {
	h := handler()
	if status, _ := get(t, h, "/"); status != http.StatusNotFound {
		t.Errorf("/: %d", status)
	}
	for _, path := range []string{"/metrics", "/healthz", "/debug/pprof/"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", path, nil))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d", path, w.Code)
		}
	}
}
