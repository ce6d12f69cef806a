// Package metrics serves figures of runs and of the process to Prometheus, the process's health, and Go's profiles.
//
// It reads a Run from its directory, so it also shows finished runs and runs of other processes. What only the
// training process knows, such as the phase and the workers, comes from a Feed. Totals cover the whole run, over all
// its restarts, and fall back by an iteration at most. Only figures of workers and warnings start with the process;
// their help texts say so.
//
// Names and units follow Prometheus (https://prometheus.io/docs/practices/naming/): base units, "_total" for counters,
// ratios from 0 to 1, few labels. There are no histograms: one value per iteration is a gauge.
package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Options say what to watch.
type Options struct {
	Version string // of the program
	Runs    []Run  // with different names
	// Health is called for each /healthz, possibly concurrently. Its error means that the process must be restarted.
	// nil: the process is healthy while it answers.
	Health func() error
}

// Handlers returns the handlers of /metrics, /healthz and /debug/pprof by their patterns of http.ServeMux. They ask for
// no password: if strangers can reach them, the caller guards them. Only this machine gets profiles.
func Handlers(o Options) map[string]http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectorsOf(o)...)
	return map[string]http.Handler{
		"GET /metrics": promhttp.HandlerFor(registry, promhttp.HandlerOpts{
			ErrorHandling:       promhttp.ContinueOnError, // an error in one family does not hide the others
			MaxRequestsInFlight: 4,
		}),
		"GET /healthz":    http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answerHealth(w, o.Health) }),
		"GET " + profiles: loopbackOnly(profileHandler()),
	}
}

// collectorsOf returns all collectors of a process.
func collectorsOf(o Options) []prometheus.Collector {
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "tengen_build_info", Help: "Always 1; the label is the version of the program.",
		ConstLabels: prometheus.Labels{"version": o.Version},
	}, func() float64 { return 1 })
	return []prometheus.Collector{
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		build, newCollector(o.Runs),
	}
}

// answerHealth writes "ok", or 503 and the error.
func answerHealth(w http.ResponseWriter, health func() error) {
	var err error
	if health != nil {
		err = health()
	}
	w.Header().Set("Cache-Control", "no-store")
	if err != nil {
		http.Error(w, "not well: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte("ok\n"))
}
