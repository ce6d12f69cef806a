package web

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tengen/run/runtest"
	"tengen/train/checkpoint"
)

// writeReport returns the report of some runs.
func writeReport(t *testing.T, axis string, dirs ...string) string {
	t.Helper()
	content, err := Report(dirs, axis, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// copyRun is a run of a name that a test may change.
func copyRun(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(runtest.Run(t))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The page has all its files and the runs inside, what was measured of their models, too, and nothing of the section cluster.
func TestReport(t *testing.T) {
	first, second := copyRun(t, "a<b>"), copyRun(t, "b&c")
	config := filepath.Join(first, "run.yaml")
	content, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	private := strings.Replace(string(content), "token_file: \"\"", "token_file: /secret/place", 1)
	if err := os.WriteFile(config, []byte(private), 0o644); err != nil || private == string(content) {
		t.Fatal(err)
	}
	measured := []checkpoint.Measured{{Iteration: 0, Points: []checkpoint.Point{checkpoint.Between("above random", 10, 5, 15)}}}
	if _, err := checkpoint.SaveMeasured(second, checkpoint.LadderChart, measured); err != nil {
		t.Fatal(err)
	}
	page := writeReport(t, "steps", first, second)
	if writeReport(t, "steps", first, second) != page {
		t.Error("the bytes differ")
	}
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]{0,40})`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "data:") && m[1] != "#/play" {
			t.Errorf("it names %s", m[1])
		}
	}
	if strings.Contains(page, "secret") {
		t.Error("it has what was in the section cluster")
	}
	_, text, _ := strings.Cut(page, `id="inside">`)
	text, _, _ = strings.Cut(text, "</script>")
	var inside struct {
		Address string
		Answers map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &inside); err != nil {
		t.Fatal(err)
	}
	if want := "#/runs?axis=steps&show=a%3Cb%3E&show=b%26c"; inside.Address != want {
		t.Errorf("it opens at %s, want %s", inside.Address, want)
	}
	for name, lines := range map[string]int{"a<b>": 2, "b&c": 3} {
		var run struct {
			Config map[string]any
			Lines  []checkpoint.Line
		}
		if err := json.Unmarshal(inside.Answers["runs/"+name], &run); err != nil || len(run.Lines) != lines || len(run.Config) < 50 {
			t.Errorf("%s: %v, %d lines, %d keys", name, err, len(run.Lines), len(run.Config))
		}
	}
	if inside.Answers["runs"] == nil || inside.Answers["games"] == nil {
		t.Error("the lists of runs and games are missing")
	}
}

// What is no run is an error that names it, and leaves no file.
func TestReportOfNoRun(t *testing.T) {
	broken, begun := copyRun(t, "broken"), copyRun(t, "begun")
	if err := appendTo(broken, "run.yaml", "later: 1\n"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(begun, "metrics.jsonl")); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"missing": "missing is not a run directory", broken: `unknown key "later"`, begun: "begun is not a run directory"} {
		if _, err := Report([]string{dir}, "games", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
