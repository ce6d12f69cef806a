package metrics

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// metric is the name of a metric in an expression.
var metric = regexp.MustCompile(`\b(tengen|process|go)_[a-z0-9_]+`)

// told are the names of all metrics that a process tells.
func told(t *testing.T) map[string]bool {
	t.Helper()
	_, body := get(t, handler(Options{Version: "v1", Runs: []Run{watched(t)}}), "/metrics")
	names := map[string]bool{}
	for line := range strings.Lines(body) {
		if name := metric.FindString(line); strings.HasPrefix(line, name) {
			names[name] = true
		}
	}
	return names
}

// The alerts, and the page about them, name metrics that exist; the page lists all of them.
func TestAlertsAndPage(t *testing.T) {
	names := told(t)
	for _, file := range []string{"alerts.yaml", "alerts_test.yaml"} {
		content, err := os.ReadFile("../../docs/prometheus/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range metric.FindAllString(string(content), -1) {
			if !names[name] {
				t.Errorf("%s: there is no metric %s", file, name)
			}
		}
	}
	page, err := os.ReadFile("../../docs/interfaces/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, name := range metric.FindAllString(string(page), -1) {
		if listed[name] = true; !names[name] {
			t.Errorf("monitoring.md: there is no metric %s", name)
		}
	}
	for _, f := range families {
		if !listed[f.name] {
			t.Errorf("monitoring.md does not list %s", f.name)
		}
	}
}

// promtool, where it is installed, takes the alerts, and finds that they fire when they should and not before.
func TestPromtoolAcceptsAlerts(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed: it is in Debian's package prometheus")
	}
	for _, args := range [][]string{{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts_test.yaml"}} {
		cmd := exec.Command(promtool, args...)
		cmd.Dir = "../../docs/prometheus"
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s", args, err, said)
		}
	}
}
