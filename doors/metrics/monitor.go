// Package metrics lets other programs watch tengen: figures of runs and of the process for Prometheus, a word on its health, and
// Go's profiles for who sits at the machine.
//
// A Run is read from its directory, so that finished runs, and those that another process trains, are seen like one's own. What
// only the process knows that trains a run, such as its phase and its workers, comes in through a Feed. Nothing is counted
// twice: totals are those of the whole run, also after it was stopped and went on, and fall back by an iteration at most. Only what
// is told of workers and warnings is of the process, as its help text says.
//
// Names and units keep to the conventions of Prometheus (https://prometheus.io/docs/practices/naming/): base units, "_total" for
// what only grows, ratios from 0 to 1, few labels. There is no histogram: what has one value for each iteration is a gauge.
package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Options say what there is to watch.
type Options struct {
	Version string // of the program
	Runs    []Run  // with different names
	// Health is asked at /healthz, perhaps by several goroutines at once; its error means that the process is of no use any
	// more. nil: the process is well as long as it answers.
	Health func() error
}

// Handlers answer /metrics, /healthz and what is below /debug/pprof, each under its pattern of http.ServeMux. They ask for no
// password: where strangers may reach them, what is around them has to. Profiles are for this machine alone.
func Handlers(o Options) map[string]http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectorsOf(o)...)
	return map[string]http.Handler{
		"GET /metrics": promhttp.HandlerFor(registry, promhttp.HandlerOpts{
			ErrorHandling:       promhttp.ContinueOnError, // figures of one kind do not hide the others
			MaxRequestsInFlight: 4,
		}),
		"GET /healthz":    http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answerHealth(w, o.Health) }),
		"GET " + profiles: loopbackOnly(profileHandler()),
	}
}

// collectorsOf are all collectors of a process.
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

// answerHealth writes "ok", or 503 and what is wrong.
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
