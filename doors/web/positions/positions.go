// Package positions shows games and positions over HTTP, lets players analyze them, and gives exact results. It needs
// no runs. A server with runs passes their models as Runs.
//
// A Server keeps no sessions: each request names its game and moves. It keeps search trees, networks, solvers and
// processes of external engines, with which later requests may go on.
// Clients name players by names, not paths, so they can use only the models that Options and Runs name.
package positions

import (
	"cmp"
	"context"

	"tengen/doors/web/answer"
	"tengen/engine"
	"tengen/internal/memo"
	"tengen/players"
)

// Options say what a Server offers.
type Options struct {
	Players  []players.Spec // in addition to the built-in ones and the runs' models
	Engines  []Engine       // external engines
	Faults   func(error)    // gets the faults of Engines, with what clients must not know; may be nil
	Threads  int            // per search
	Searches int            // that run at once, and as many solvers; the rest wait
	Memory   Memory
	Limits   answer.Limits
}

// Memory says what searches take, and what is kept for later ones.
type Memory struct {
	TreeMegabytes  int // of a search
	CacheMegabytes int // of a network's evaluations
	Spares         int // trees, and solvers, beside those in use
	Networks       int // open ones
}

// DefaultMemory is a server's. Its page asks up to eight models in turn.
var DefaultMemory = Memory{TreeMegabytes: players.TreeMegabytes, CacheMegabytes: 64, Spares: 5, Networks: 10}

// Engine is an external engine. Clients know it by its name alone, and cannot change how it starts or thinks.
type Engine struct {
	Name string // of letters, digits, dots, dashes and underscores
	Spec players.Spec
}

// Runs is what positions learn of runs.
type Runs struct {
	Training bool                           // this process trains one
	Games    func(context.Context) []string // that they play
	Models   func(name string) []Model      // all, each run's newest first; with a name, that one, if there is one
}

// Model is a run's model.
type Model struct {
	Name      string // of its player
	Run       string
	Iteration int
	Newest    bool // of the run
	File      string
}

const maxInfos = 1000 // described models: clients can name any number of games

// Server answers requests about positions. It is safe for concurrent use.
type Server struct {
	Runs Runs // none by default; to be set before the first request

	options Options
	version string
	streams answer.Streams
	given   []player // by Options.Players and Options.Engines
	plain   []player
	names   []string // of these and of built-in models
	games   []string // of the networks in given
	infos   *memo.Memo[engine.ModelInfo]

	searches, truths *queue
	thinkers         shelf[engine.Thinker]
	programs         shelf[engine.Thinker] // of Options.Engines, with a process each
	solvers          shelf[engine.Solver]
	networks         *memo.Memo[engine.Network] // with their evaluations
}

// New returns a server of the program's version. It reads the models that Options.Players name.
func New(o Options, version string, streams answer.Streams) (*Server, error) {
	s := &Server{
		options: o, version: version, streams: streams,
		Runs:  Runs{Games: func(context.Context) []string { return nil }, Models: func(string) []Model { return nil }},
		infos: memo.New[engine.ModelInfo](maxInfos), networks: memo.New[engine.Network](o.Memory.Networks),
		searches: newQueue(o.Searches), truths: newQueue(o.Searches),
	}
	s.thinkers.spares, s.programs.spares, s.solvers.spares = o.Memory.Spares, o.Memory.Spares, o.Memory.Spares
	return s, s.namePlayers()
}

// Close ends the processes of Options.Engines. Call it when no request is left.
func (s *Server) Close() { s.programs.keep(0) }

// Routes returns the addresses of positions.
func (s *Server) Routes() map[string]answer.Route {
	return map[string]answer.Route{
		"/api/games":    {Handle: s.serveGames},
		"/api/position": {Handle: s.servePosition, Params: []string{"game", "moves"}},
		"/api/players":  {Handle: s.servePlayers, Params: []string{"game"}},
		"/api/analysis": {Handle: s.serveAnalysis, Params: []string{
			"game", "moves", "player", limitSimulations, limitMilliseconds, limitDepth, "line", "id",
		}},
		"/api/truth": {Handle: s.serveTruth, Params: []string{"game", "moves"}},
		"/api/read":  {Handle: s.serveRead, Params: []string{"game"}},
		"/api/sgf":   {Handle: s.serveSGF, Params: []string{"game", "resigned"}},
	}
}

func gameOf(q answer.Query) (engine.Game, error) {
	if !q.Given("game") {
		return nil, answer.BadRequestf("which game? Name it with game=, such as game=connect4")
	}
	return engine.Open(q["game"])
}

func (s *Server) position(q answer.Query) (engine.Game, engine.Position, error) {
	e, err := gameOf(q)
	if err != nil {
		return nil, engine.Position{}, err
	}
	p, err := e.Parse(q["moves"])
	return e, p, cmp.Or(err, s.tooLong(p))
}

// tooLong returns an error for a position after more moves than are allowed.
func (s *Server) tooLong(p engine.Position) error {
	if len(p.Moves) > s.options.Limits.Moves {
		return answer.BadRequestf("%d moves, but at most %d are allowed", len(p.Moves), s.options.Limits.Moves)
	}
	return nil
}
