// Package metrics serves figures of runs and of the process to Prometheus, the process's health and Go's profiles.
//
// It reads a Run from its directory, so it also shows finished runs and other processes' runs. The phase, the workers
// and other live figures come from a Feed. Totals cover the whole run, but those for workers and warnings cover only
// the process.
//
// Names and units follow https://prometheus.io/docs/practices/naming/. One value per iteration is a gauge.
package metrics

import (
	"net/http"
	_ "net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handlers returns the handlers of /metrics, /healthz and /debug/pprof by their http.ServeMux patterns. They require no
// password: the caller must keep strangers away. Only this machine gets profiles. version is the program's. runs
// returns the runs, with different names; it is called for each request of /metrics, at most four at once.
func Handlers(version string, runs func() []Run) map[string]http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "tengen_build_info", Help: "Always 1; the label is the version of the program.",
			ConstLabels: prometheus.Labels{"version": version},
		}, func() float64 { return 1 }),
		newCollector(runs),
	)
	return map[string]http.Handler{
		"GET /metrics": promhttp.HandlerFor(registry, promhttp.HandlerOpts{
			ErrorHandling:       promhttp.ContinueOnError, // an error omits only its metric family
			MaxRequestsInFlight: 4,
			Timeout:             scrapeTimeout, // the files may be on a network
		}),
		"GET /healthz":      http.HandlerFunc(health),
		"GET /debug/pprof/": loopbackOnly(http.DefaultServeMux), // where net/http/pprof puts its pages
	}
}

// scrapeTimeout is well below a scrape's usual 10 seconds.
const scrapeTimeout = 5 * time.Second

// health answers while the process runs.
func health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte("ok\n"))
}
