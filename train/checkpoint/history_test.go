package checkpoint

import (
	"bytes"
	"testing"
)

// Whatever is in the file, what is kept is whole lines of it, and the same is kept again.
func FuzzTrimMetrics(f *testing.F) {
	f.Add([]byte("{\"iteration\":1,\"loss\":0.5,\"value_loss\":2,\"l2_loss\":1}\n{\"iteration\":3}\nnull\n{\"iteration\":2"), 2)
	f.Fuzz(func(t *testing.T, content []byte, iteration int) {
		l := layout(t.TempDir())
		trimmed := func(content []byte) []byte {
			rewrite(t, l.file(metricsFile), string(content))
			noError(t, l.trimMetrics(iteration))
			kept, err := l.metrics()
			noError(t, err)
			return kept
		}
		kept := trimmed(content)
		for line := range bytes.Lines(kept) {
			if !bytes.HasSuffix(line, []byte("\n")) || !bytes.Contains(content, line) {
				t.Errorf("kept %q, which is no line of %q", line, content)
			}
		}
		if again := trimmed(kept); !bytes.Equal(again, kept) {
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
