package cli

import (
	"net/http/httptest"
	"strings"
	"testing"

	"tengen/doors/metrics"
	"tengen/doors/web"
	"tengen/train"
)

// The metrics name runs as the pages do, and count the warnings of the run that this process trains.
func TestWatch(t *testing.T) {
	feed := new(metrics.Feed)
	feed.Observe(train.Event{Phase: train.PhaseTrain})
	feed.Warn(nil)
	runs := []web.NamedRun{{Name: "mine", Dir: t.TempDir(), Live: true}}
	handlers := watch(feed)(func() []web.NamedRun { return runs })
	runs = append(runs, web.NamedRun{Name: "other", Dir: t.TempDir()}) // found later
	w := httptest.NewRecorder()
	handlers["GET /metrics"].ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, part := range []string{`tengen_run_readable{run="mine"}`, `tengen_run_readable{run="other"}`, `tengen_warnings_total{run="mine"} 1`} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("there is no %s in\n%s", part, w.Body)
		}
	}
	if strings.Contains(w.Body.String(), `tengen_warnings_total{run="other"}`) {
		t.Error("warnings of a run that this process does not train")
	}
}
