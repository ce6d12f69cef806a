package cli

import (
	"net/http/httptest"
	"strings"
	"testing"

	"tengen/doors/metrics"
	"tengen/doors/web/runs"
	"tengen/train"
)

// The metrics name runs as the pages do, and count the warnings of the run that this process trains.
func TestWatch(t *testing.T) {
	feed := new(metrics.Feed)
	feed.Observe(train.Event{Phase: train.PhaseTrain})
	feed.Warn(nil)
	shown := []*runs.Run{{Name: "mine", Dir: t.TempDir(), Live: runs.NewLive("")}}
	handlers := watch(feed)(func() []*runs.Run { return shown })
	shown = append(shown, &runs.Run{Name: "other", Dir: t.TempDir()}) // found later
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
