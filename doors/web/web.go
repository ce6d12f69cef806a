// Package web is the web server: it serves the pages, and puts together package positions, which needs no runs, and
// package runs. docs/interfaces/http.md describes the addresses.
//
// No work outlives its request, though external engines wait for the next one. Every write has a deadline, and the
// number of streams is limited. guard.go admits only clients that use the server's name and, off loopback, have the
// token.
package web

import (
	"errors"
	"net/http"
	"runtime"
	"time"

	"tengen/doors/web/answer"
	"tengen/doors/web/positions"
	"tengen/doors/web/runs"
	"tengen/engine"
	"tengen/internal/printable"
)

// What Options consist of.
type (
	Engine          = positions.Engine
	PositionOptions = positions.Options
	RunOptions      = runs.Options
)

// Options say what a Server offers.
type Options struct {
	PositionOptions
	RunOptions

	Hosts  []string // names of the server besides loopback names, without ports
	Token  string   // required of requests; "": none
	Secure bool     // clients connect by TLS

	// Mount returns more handlers by their http.ServeMux patterns. They are guarded like the others, and may ask for the
	// current runs. It may be nil.
	Mount func(runs func() []*runs.Run) map[string]http.Handler
}

// Default allows one search per core at once, but at least two, so that a long one stops no others. Each search uses
// all cores.
func Default() Options {
	cores := runtime.GOMAXPROCS(0)
	return Options{PositionOptions: PositionOptions{
		Threads: cores, Searches: max(2, cores),
		Memory: positions.DefaultMemory,
		Limits: answer.Limits{
			Simulations: 1_000_000, Time: time.Minute, Depth: 64, Moves: 1200, Streams: 256, StreamsPerClient: 16,
			Truth: 1800 * time.Millisecond, Write: 10 * time.Second, Beat: 15 * time.Second, Poll: 3 * time.Second,
		},
	}}
}

// Server answers requests. It is safe for concurrent use.
type Server struct {
	options   Options
	handler   http.Handler
	positions *positions.Server
	runs      *runs.Server
}

// New returns a server. It reads the models that Options.Players name. Without a token, visitors cannot stop a training.
func New(o Options) (*Server, error) {
	warn := o.Warn
	o.Warn = func(err error) {
		if warn != nil { // with names and texts that strangers chose
			warn(errors.New(printable.Text(err.Error(), 500)))
		}
	}
	o.Faults = o.Warn
	streams := answer.Streams{Counter: answer.NewCounter(o.Limits.Streams, o.Limits.StreamsPerClient), Beat: o.Limits.Beat}
	if o.Token == "" && o.Live != nil {
		o.Live.Stop = nil
	}
	p, err := positions.New(o.PositionOptions, engine.Version(), streams)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, positions: p, runs: runs.New(o.RunOptions, o.Limits, streams, p.Names())}
	p.Runs = positions.Runs{Training: o.Live != nil, Games: s.runs.Games, Models: s.runs.Models}
	s.handler = s.guard(s.routes())
	return s, nil
}

// routes returns the handler of all addresses.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	report := map[string]answer.Route{"/api/runs/{run}/report": {Handle: s.runs.OfRun(s.serveReport), Params: []string{"axis"}}}
	for _, routes := range []map[string]answer.Route{s.positions.Routes(), s.runs.Routes(), report} {
		for pattern, route := range routes {
			mux.Handle(pattern, route)
		}
	}
	mux.Handle("/api/", answer.Handler(func(http.ResponseWriter, *http.Request) error { return errNoAddress }))
	for _, address := range []string{"/{$}", "/index.html"} {
		mux.Handle(address, answer.Handler(s.servePage))
	}
	mux.Handle("/", answer.Handler(serveAsset))
	if s.options.Mount != nil {
		for pattern, h := range s.options.Mount(s.runs.Now) {
			mux.Handle(pattern, h)
		}
	}
	return mux
}

// Close ends the processes of Options.Engines. Call it when no request is left.
func (s *Server) Close() { s.positions.Close() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }
