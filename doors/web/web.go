// Package web answers browsers and other HTTP clients. It shows games and positions, lets players analyze them, gives
// exact results, and shows runs and their games. docs/interfaces/http.md describes the addresses.
//
// A Server keeps no sessions: each request names its game and moves. It does keep the trees of recent searches,
// networks, and solvers.
//
// No work outlives its request, every write has a deadline, and the number of streams is limited. Settings, metrics and
// models are read again only after a change, and never under a lock (memo). Clients name players and runs by names, not
// paths, so they can read only what Options name. guard.go admits only clients that use the server's name and, off
// loopback, have the token.
package web

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"time"

	"tengen/engine"
	"tengen/internal/printable"
	"tengen/players"
)

// Options say what a Server offers.
type Options struct {
	Runs    []string       // directories
	Folder  string         // its runs are shown too, including new ones; "": none
	Players []players.Spec // in addition to the built-in ones and the runs' models
	Live    *Live          // the run that this process trains; may be nil

	Hosts  []string // names of the server besides loopback names, without ports
	Token  string   // required of requests; "": none
	Secure bool     // clients connect by TLS

	Threads  int // per search
	Searches int // that run at once; the rest wait
	Limits   Limits

	// Mount returns more handlers by their http.ServeMux patterns. They are guarded like the others, and may ask for the
	// current runs. It may be nil.
	Mount func(runs func() []NamedRun) map[string]http.Handler

	Warn func(error) // called for unreadable files in run directories; may be nil
}

// NamedRun is a run as pages name it.
type NamedRun struct {
	Name, Dir string
	Live      bool // this process trains it
}

// Limits bound a request.
type Limits struct {
	Simulations      int           `json:"simulations"`
	Time             time.Duration `json:"-"`     // of a search
	Depth            int           `json:"depth"` // of alpha-beta
	Moves            int           `json:"moves"`
	Streams          int           `json:"streams"` // at once
	StreamsPerClient int           `json:"streams_per_client"`

	Truth time.Duration `json:"-"` // for a solver
	Write time.Duration `json:"-"` // for a client to read what is written
	Beat  time.Duration `json:"-"` // between comments in an idle stream
	Poll  time.Duration `json:"-"` // between looks at a run directory that another process trains
}

// Default allows one search per core at once, but at least two, so that a long one stops no others. Each search uses all
// cores.
func Default() Options {
	cores := runtime.GOMAXPROCS(0)
	return Options{
		Threads: cores, Searches: max(2, cores),
		Limits: Limits{
			Simulations: 1_000_000, Time: time.Minute, Depth: 64, Moves: 400, Streams: 256, StreamsPerClient: 16,
			Truth: 1800 * time.Millisecond, Write: 10 * time.Second, Beat: 15 * time.Second, Poll: 3 * time.Second,
		},
	}
}

// keptBare is the maximum number of networks kept for evaluations without search: pages ask 8 models of a run in turn.
const keptBare = 16

// maxInfos is the maximum number of described models: clients can name any number of games.
const maxInfos = 1000

// Server answers requests. It is safe for concurrent use.
type Server struct {
	options Options
	handler http.Handler
	runs    *runList
	given   []string // games of Options.Players
	queue   *queue
	trees   *trees
	solvers *solvers
	streams *counter

	infos    *memo[engine.ModelInfo]
	networks *memo[engine.Network]
	bare     *memo[engine.Network] // for evaluations without search

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
	given, err := gamesOf(o.Players)
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: o, given: given, infos: newMemo[engine.ModelInfo](maxInfos), networks: newMemo[engine.Network](keptTrees), bare: newMemo[engine.Network](keptBare),
		queue:   newQueue(o.Searches),
		trees:   newTrees(keptTrees),
		solvers: newSolvers(o.Threads, o.Limits.Truth),
		streams: newCounter(o.Limits.Streams, o.Limits.StreamsPerClient),
	}
	s.ended, s.end = context.WithCancel(context.Background())
	s.runs = newServedRuns(o)
	s.handler = s.guard(s.routes())
	return s, nil
}

// routes returns the handler of all addresses.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, route := range map[string]struct {
		handle func(http.ResponseWriter, *http.Request, query) error
		params []string
	}{
		"/api/games":                  {s.serveGames, nil},
		"/api/position":               {s.servePosition, []string{"game", "moves"}},
		"/api/players":                {s.servePlayers, []string{"game"}},
		"/api/analysis":               {s.serveAnalysis, []string{"game", "moves", "player", limitSimulations, limitMilliseconds, limitDepth, "line", "id"}},
		"/api/truth":                  {s.serveTruth, []string{"game", "moves"}},
		"/api/runs":                   {s.serveRuns, nil},
		"/api/runs/{run}":             {s.ofRun(s.serveRun), nil},
		"/api/runs/{run}/events":      {s.ofRun(s.serveRunEvents), []string{"after"}},
		"/api/runs/{run}/games":       {s.ofRun(s.serveRunGames), []string{"first", "count"}},
		"/api/runs/{run}/games/{n}":   {s.ofRun(s.serveRunGame), nil},
		"/api/runs/{run}/calibration": {s.ofRun(s.serveCalibration), nil},
		"/api/runs/{run}/report":      {s.ofRun(s.serveReport), []string{"axis"}},
		"/api/runs/{run}/stop":        {s.ofRun(s.serveStop), nil},
	} {
		mux.Handle(pattern, handlerFunc(func(w http.ResponseWriter, r *http.Request) error {
			q, err := parseQuery(r, route.params...)
			if err != nil {
				return err
			}
			return route.handle(w, r, q)
		}))
	}
	mux.Handle("/api/", handlerFunc(func(http.ResponseWriter, *http.Request) error { return errNoAddress }))
	for _, address := range []string{"/{$}", "/index.html"} {
		mux.Handle(address, handlerFunc(s.servePage))
	}
	mux.Handle("/", handlerFunc(serveAsset))
	if s.options.Mount != nil {
		for pattern, h := range s.options.Mount(s.named) {
			mux.Handle(pattern, h)
		}
	}
	return mux
}

func (s *Server) named() []NamedRun {
	var runs []NamedRun
	for _, r := range s.runs.now() {
		runs = append(runs, NamedRun{Name: r.name, Dir: r.dir, Live: r.live != nil})
	}
	return runs
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

// Close ends all streams and searches, and waits for the requests under way, but not long for what cannot be ended, such
// as one that waits for a disk.
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
