// Package web is the web server: it serves the pages, and puts together package positions, which needs no runs, and
// package runs. docs/interfaces/http.md describes the addresses.
//
// No work outlives its request, every write has a deadline, and the number of streams is limited. guard.go admits only
// clients that use the server's name and, off loopback, have the token.
package web

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"time"

	"tengen/doors/web/answer"
	"tengen/doors/web/positions"
	"tengen/doors/web/runs"
	"tengen/internal/printable"
	"tengen/run"
)

// What Options consist of.
type (
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
		Limits: answer.Limits{
			Simulations: 1_000_000, Time: time.Minute, Depth: 64, Moves: 400, Streams: 256, StreamsPerClient: 16,
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

	ended context.Context // cancelled by Close
	end   context.CancelFunc

	mu   sync.Mutex     // orders work.Add and end
	work sync.WaitGroup // requests under way
}

// New returns a server. It reads the models that Options.Players name.
func New(o Options) (*Server, error) {
	warn := o.Warn
	o.Warn = func(err error) {
		if warn != nil { // with names and texts that strangers chose
			warn(errors.New(printable.Text(err.Error(), 500)))
		}
	}
	streams := answer.Streams{Counter: answer.NewCounter(o.Limits.Streams, o.Limits.StreamsPerClient), Beat: o.Limits.Beat}
	p, err := positions.New(o.PositionOptions, run.Version(), streams)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, positions: p, runs: runs.New(o.RunOptions, o.Limits, streams, o.Token != "", p.Names())}
	p.Runs = positions.Runs{Training: o.Live != nil, Games: s.runs.Games, Models: s.runs.Models}
	s.ended, s.end = context.WithCancel(context.Background())
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

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		http.Error(w, "the server is closing", http.StatusServiceUnavailable)
		return
	}
	defer s.work.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ended, cancel)()
	s.handler.ServeHTTP(w, r.WithContext(ctx))
}

// begin counts a request, unless the server has been closed.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended.Err() != nil {
		return false
	}
	s.work.Add(1)
	return true
}

// parting is how long Close waits.
const parting = 3 * time.Second

// Close ends all streams and searches, and waits for the requests under way, but not long for what cannot be ended,
// such as one that waits for a disk.
func (s *Server) Close() {
	s.stop()
	gone := make(chan struct{})
	go func() {
		s.work.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(parting):
	}
}

func (s *Server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}
