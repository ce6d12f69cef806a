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

// The alerts and the page about them name metrics that exist; the page lists all of tengen's but the charts.
func TestAlertsAndPage(t *testing.T) {
	_, body := get(t, handler(watched(t)), "/metrics")
	unlisted := map[string]bool{} // all metrics, true for those that the page has yet to list
	for line := range strings.Lines(body) {
		if name := metric.FindString(line); strings.HasPrefix(line, name) {
			unlisted[name] = strings.HasPrefix(name, "tengen_") && !strings.HasPrefix(name, "tengen_chart_")
		}
	}
	for _, file := range []string{"prometheus/alerts.yaml", "prometheus/alerts_test.yaml", "interfaces/monitoring.md"} {
		content, err := os.ReadFile("../../docs/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range metric.FindAllString(string(content), -1) {
			if _, ok := unlisted[name]; !ok {
				t.Errorf("%s: there is no metric %s", file, name)
			} else if file == "interfaces/monitoring.md" {
				unlisted[name] = false
			}
		}
	}
	for name, missing := range unlisted {
		if missing {
			t.Errorf("monitoring.md does not list %s", name)
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
