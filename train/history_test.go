package train

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The digest is of all that the metrics say, except for what goes by the clock, and of their order.
func TestDigest(t *testing.T) {
	line := func(m Metrics) string {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + "\n"
	}
	digest := func(lines string) string {
		t.Helper()
		kept, digest := committedLines([]byte(lines), 2)
		if string(kept) != lines {
			t.Errorf("kept %q of %q", kept, lines)
		}
		return digest
	}
	one, two := Metrics{Iteration: 1, Games: 5}, Metrics{Iteration: 2, Learning: &Learning{Loss: 0.1}}
	want := digest(line(one) + line(two))
	slow := two
	slow.Seconds.Train, slow.GamesPerSecond, slow.Time = 77, 1, time.Unix(1e9, 0)
	if digest(line(one)+line(slow)) != want {
		t.Error("the digest depends on the clock")
	}
	other := two
	other.Learning = &Learning{Loss: 0.2}
	for name, lines := range map[string]string{
		"a line missing": line(two),
		"another number": line(one) + line(other),
		"another order":  line(two) + line(one),
		"nothing":        "",
	} {
		if digest(lines) == want {
			t.Errorf("%s, and the same digest", name)
		}
	}
}

// A line has the time at which its iteration ended. Lines of earlier versions have none, and belong to the history all the same.
func TestMetricsTime(t *testing.T) {
	path := t.TempDir()
	r := newRun()
	now := time.Date(2026, 2, 3, 4, 5, 6, 7_890_123, time.FixedZone("", 3600))
	r.clock = func() time.Time {
		now = now.Add(time.Hour)
		return now
	}
	if err := r.in(t, path); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(readMetricsFile(t, path)), "\n")
	for i, want := range []string{"04:05:06.007Z", "05:05:06.007Z", "06:05:06.007Z"} {
		if want = `,"time":"2026-02-03T` + want + `"}`; !strings.HasSuffix(lines[i], want) {
			t.Errorf("line %d is %s, want it to end with %s", i+1, lines[i], want)
		}
	}
	earlier := regexp.MustCompile(`,"time":"[^"]*"`).ReplaceAllString(readMetricsFile(t, path), "")
	if err := os.WriteFile(filepath.Join(path, metricsFile), []byte(earlier), 0o644); err != nil {
		t.Fatal(err)
	}
	r = newRun()
	r.cfg.Iterations++
	if err := r.in(t, path); err != nil || len(r.warnings) > 0 {
		t.Fatalf("error %v, warnings %q", err, r.warnings)
	}
	if got := readMetricsFile(t, path); !strings.HasPrefix(got, earlier) || strings.Count(got, "\n") != 4 {
		t.Errorf("the metrics became\n%s", got)
	}
}

func readMetricsFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path, metricsFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Whatever is in the file, what is kept is whole lines of it, and reads the same when it is read again.
func FuzzCommittedLines(f *testing.F) {
	f.Add([]byte("{\"iteration\":1,\"loss\":0.5}\n{\"iteration\":3}\nnull\n{\"iteration\":2"), 2)
	f.Fuzz(func(t *testing.T, content []byte, iteration int) {
		kept, digest := committedLines(content, iteration)
		for line := range bytes.Lines(kept) {
			if !bytes.HasSuffix(line, []byte("\n")) || !bytes.Contains(content, line) {
				t.Errorf("kept %q, which is no line of %q", line, content)
			}
		}
		again, same := committedLines(kept, iteration)
		if !bytes.Equal(again, kept) || same != digest {
			t.Errorf("kept %q, then %q", kept, again)
		}
	})
}
