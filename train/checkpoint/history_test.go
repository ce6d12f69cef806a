package checkpoint

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// The digest is of all that the metrics say, except for what goes by the clock, and of their order.
func TestDigest(t *testing.T) {
	line := func(m Metrics) string {
		text, err := json.Marshal(m)
		noError(t, err)
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
	slow.Seconds.Train, slow.GamesPerSecond, slow.CPUSeconds, slow.CoreSeconds.Idle, slow.Time = 77, 1, 9, 5, time.Unix(1e9, 0)
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

// recorded is a line of another version: no Metrics is written so.
const recorded = `{"iteration": 1, "loss":0.50, "gpu_seconds":3, "planets":{"mars":[1e3,"<"]}, "seconds":{"train":2,"moon":1}, "time":"2026-02-03T04:05:06Z"}` + "\n"

// A line is digested as it is written: fields of another version count, and accuse nobody.
func TestDigestOfAnotherVersion(t *testing.T) {
	text, err := Timeless([]byte(recorded))
	const want = `{"iteration":1,"loss":0.50,"planets":{"mars":[1e3,"\u003c"]}}`
	if err != nil || string(text) != want {
		t.Errorf("without times it is %s (%v), want %s", text, err, want)
	}
	kept, history := committedLines([]byte(recorded), 1)
	if string(kept) != recorded || history != digest([]byte(want)) {
		t.Errorf("kept %s with the digest %s", kept, history)
	}
	if _, other := committedLines([]byte(strings.Replace(recorded, "mars", "pars", 1)), 1); other == history {
		t.Error("an unknown field has changed, and the digest has not")
	}
}

// A line in which a bit has flipped has another digest, unless the clock decided what has flipped.
func TestDigestNoticesEveryBit(t *testing.T) {
	line := []byte(`{"iteration":1,"loss":0.5,"evaluation":{"uct:100":{"wins":3}}}` + "\n")
	_, want := committedLines(line, 1)
	for bit := range 8 * len(line) {
		flipped := bytes.Clone(line)
		flipped[bit/8] ^= 1 << (bit % 8)
		if _, history := committedLines(flipped, 1); history == want {
			t.Errorf("%q has the digest of %q", flipped, line)
		}
	}
}

// Whatever is in the file, what is kept is whole lines of it, and reads the same when it is read again.
func FuzzCommittedLines(f *testing.F) {
	f.Add([]byte("{\"iteration\":1,\"loss\":0.5,\"value_loss\":2,\"l2_loss\":1}\n{\"iteration\":3}\nnull\n{\"iteration\":2"), 2)
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

// Metrics are loaded from a run directory or from a file of its own. Where there are none, that is an error.
func TestLoadMetrics(t *testing.T) {
	path := testRun(t)
	for _, from := range []string{path, MetricsFile(path)} {
		if all, err := LoadMetrics(from); err != nil || len(all) != 3 || all[2].Iteration != 3 {
			t.Errorf("metrics %+v, error %v; want three", all, err)
		}
	}
	_, err := LoadMetrics(path + "-missing")
	wantError(t, err, path+"-missing is neither a run directory nor a metrics file: ")
	_, err = LoadMetrics(t.TempDir())
	wantError(t, err, "is not a run directory")
	rewrite(t, MetricsFile(path), "gibberish\n{\"iteration\":0}\n")
	_, err = LoadMetrics(path)
	wantError(t, err, MetricsFile(path)+" has no metrics")
}
