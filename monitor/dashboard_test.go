package monitor

import (
	"encoding/json"
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

// The dashboard parses, its panels do not overlap, and every metric in its expressions exists.
func TestDashboard(t *testing.T) {
	content, err := os.ReadFile("../docs/grafana/tengen.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		UID    string
		Panels []struct {
			ID          int
			Type, Title string
			GridPos     struct{ X, Y, W, H int }
			Targets     []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(content, &dashboard); err != nil {
		t.Fatal(err)
	}
	names, ids, places, used := told(t), map[int]bool{}, map[[2]int]string{}, 0
	for _, p := range dashboard.Panels {
		if ids[p.ID] {
			t.Errorf("%s: the id %d is there twice", p.Title, p.ID)
		}
		ids[p.ID] = true
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				place := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if other, taken := places[place]; taken {
					t.Fatalf("%s lies over %s", p.Title, other)
				}
				places[place] = p.Title
			}
		}
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("%s shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			for _, name := range metric.FindAllString(target.Expr, -1) {
				if used++; !names[name] {
					t.Errorf("%s: there is no metric %s", p.Title, name)
				}
			}
		}
	}
	if dashboard.UID != "tengen" || used < 30 {
		t.Errorf("the dashboard %q uses %d metrics", dashboard.UID, used)
	}
}

// The alerts, and the page about them, name metrics that exist; the page lists all of them.
func TestAlertsAndPage(t *testing.T) {
	names := told(t)
	for _, file := range []string{"alerts.yaml", "alerts_test.yaml"} {
		content, err := os.ReadFile("../docs/grafana/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range metric.FindAllString(string(content), -1) {
			if !names[name] {
				t.Errorf("%s: there is no metric %s", file, name)
			}
		}
	}
	page, err := os.ReadFile("../docs/monitoring.md")
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
		cmd.Dir = "../docs/grafana"
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s", args, err, said)
		}
	}
}
