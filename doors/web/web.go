// Package web answers browsers, and whoever else speaks HTTP: it shows games and positions, lets players think about them, says
// what perfect play would do, and tells of runs and their games. docs/http.md describes the addresses.
//
// A Server is an http.Handler on top of package engine. It keeps no sessions: a request says which game and which moves it is
// about. What it does keep serves the next request: trees of the last searches (trees.go), networks, and solved positions.
//
// Nothing outlives a request that asked for it. A search, or a place in the queue for one, ends when its request is closed; every
// write has a deadline, so a client that reads nothing is a client that has gone; and streams are counted.
//
// Names, not paths, pass between client and server: what can be read is what the Options name. Whoever can reach the server
// may read that, so guard.go lets in only who speaks to it by a name of its own and, off loopback, has the token.
package web

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"time"

	"tengen/doors/metrics"
	"tengen/players"
	"tengen/run"
)

// Options say what a Server offers.
type Options struct {
	Runs    []string       // directories
	Players []players.Spec // beside those that need no model, come with tengen, or are models of the runs
	Live    *Live          // the run that this process trains, beside Runs; nil if there is none

	Hosts  []string // by which the server may be called, beside loopback names; a port does not count
	Token  string   // that requests must have; "": none
	Secure bool     // the connection is encrypted, and cookies are for such connections alone

	Threads  int // of a search
	Searches int // at once; others wait
	Limits   Limits

	Warn func(error) // is told of what a run's directory holds that cannot be read; may be nil
}

// Limits bound what a request may ask for.
type Limits struct {
	Simulations      int           `json:"simulations"`
	Time             time.Duration `json:"-"`     // of a search
	Depth            int           `json:"depth"` // of alpha-beta
	Moves            int           `json:"moves"`
	Streams          int           `json:"streams"` // at once
	StreamsPerClient int           `json:"streams_per_client"`

	Truth time.Duration `json:"-"` // for a solver
	Write time.Duration `json:"-"` // for a client to take what is written
	Beat  time.Duration `json:"-"` // between two signs of life of a stream
	Poll  time.Duration `json:"-"` // between two looks at the directory of a run that another process trains
}

// Default lets as many search at once as there are cores, each with all of them.
func Default() Options {
	cores := runtime.GOMAXPROCS(0)
	return Options{
		Threads: cores, Searches: cores,
		Limits: Limits{
			Simulations: 1_000_000, Time: time.Minute, Depth: 64, Moves: 400, Streams: 256, StreamsPerClient: 16,
			Truth: 1800 * time.Millisecond, Write: 10 * time.Second, Beat: 15 * time.Second, Poll: 3 * time.Second,
		},
	}
}

// Server answers requests. It is safe for concurrent use.
type Server struct {
	options Options
	handler http.Handler
	runs    []*shown
	infos   modelInfos
	queue   *queue
	trees   *trees
	truths  *truths
	streams *counter

	ended context.Context // ends with Close
	end   context.CancelFunc

	mu   sync.Mutex     // held by whoever begins or ends
	work sync.WaitGroup // requests under way
}

// New returns a server. It reads nothing yet but the models that Options.Players name; the error says which cannot be read.
func New(o Options) (*Server, error) {
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	for _, spec := range o.Players {
		if err := checkPlayer(spec); err != nil {
			return nil, err
		}
	}
	s := &Server{
		options: o,
		queue:   newQueue(o.Searches),
		trees:   newTrees(keptTrees),
		truths:  newTruths(o.Threads, o.Limits.Truth),
		streams: newCounter(o.Limits.Streams, o.Limits.StreamsPerClient),
	}
	s.ended, s.end = context.WithCancel(context.Background())
	s.runs = newRuns(o)
	s.handler = s.guard(s.routes())
	return s, nil
}

// routes are the addresses.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(http.ResponseWriter, *http.Request) error{
		"/api/games":                s.serveGames,
		"/api/position":             s.servePosition,
		"/api/players":              s.servePlayers,
		"/api/analysis":             s.serveAnalysis,
		"/api/truth":                s.serveTruth,
		"/api/runs":                 s.serveRuns,
		"/api/runs/{run}":           s.serveRun,
		"/api/runs/{run}/events":    s.serveRunEvents,
		"/api/runs/{run}/games":     s.serveRunGames,
		"/api/runs/{run}/games/{n}": s.serveRunGame,
		"/api/":                     func(http.ResponseWriter, *http.Request) error { return errNoAddress },
		"/":                         serveAsset,
	} {
		mux.Handle(pattern, answer(handle))
	}
	for pattern, h := range s.monitored() {
		mux.Handle(pattern, h)
	}
	return mux
}

// monitored are the addresses for other programs that watch the runs.
func (s *Server) monitored() map[string]http.Handler {
	o := metrics.Options{Version: run.Version()}
	for _, r := range s.runs {
		watched := metrics.Run{Name: r.name, Dir: r.dir}
		if r.live != nil {
			watched.Feed = r.live.feed
		}
		o.Runs = append(o.Runs, watched)
	}
	return metrics.Handlers(o)
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

// Close ends all streams and searches, and waits for the requests under way.
func (s *Server) Close() {
	s.stop()
	s.work.Wait()
}

// stop ends all streams and searches.
func (s *Server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}
