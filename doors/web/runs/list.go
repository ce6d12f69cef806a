// Package runs shows training runs over HTTP: their settings, progress and games, and the run that this process trains.
//
// Settings and metrics are read again only after a change, and never under a lock. Clients name runs by names, not
// paths, so they can read only what Options name.
package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tengen/doors/web/answer"
	"tengen/doors/web/positions"
	"tengen/engine"
	"tengen/internal/memo"
	"tengen/run"
	"tengen/train/checkpoint"
)

// Options say which runs a Server shows.
type Options struct {
	Runs   []string // directories
	Folder string   // its runs are shown too, including new ones; "": none
	Live   *Live    // the run that this process trains; may be nil

	Warn func(error) // called for unreadable files in run directories; may be nil
}

// Run is a run that requests can name.
type Run struct {
	Name string
	Dir  string
	Live *Live // nil unless this process trains it

	player string // the name of its newest model's
	found  bool   // in Options.Folder
	server *Server
}

// maxRuns is the maximum number of runs whose files are remembered.
const maxRuns = 10_000

// Server answers requests about runs. It is safe for concurrent use.
type Server struct {
	options Options
	limits  answer.Limits
	streams answer.Streams
	others  []string // names of players that are not of runs

	configs *memo.Memo[config]
	newest  *memo.Memo[checkpoint.Metrics]

	mu  sync.Mutex
	all []*Run
}

// config is what a run's directory says of its settings.
type config struct {
	run.Config
	game engine.Game
}

// New returns a server. others are the names that the players of the runs' models must not have.
func New(o Options, limits answer.Limits, streams answer.Streams, others []string) *Server {
	s := &Server{
		options: o, limits: limits, streams: streams, others: others,
		configs: memo.New[config](maxRuns), newest: memo.New[checkpoint.Metrics](maxRuns),
	}
	if o.Live != nil {
		s.add(&Run{Dir: o.Live.Dir, Live: o.Live})
	}
	for _, dir := range o.Runs {
		s.add(&Run{Dir: dir})
	}
	return s
}

// Routes returns the addresses of runs.
func (s *Server) Routes() map[string]answer.Route {
	return map[string]answer.Route{
		"/api/runs":                   {Handle: s.serveRuns},
		"/api/runs/{run}":             {Handle: s.OfRun(s.serveRun), Params: []string{"points"}},
		"/api/runs/{run}/events":      {Handle: s.OfRun(s.serveEvents), Params: []string{"after"}},
		"/api/runs/{run}/games":       {Handle: s.OfRun(s.serveGames), Params: []string{"first", "count"}},
		"/api/runs/{run}/games/{n}":   {Handle: s.OfRun(s.serveGame)},
		"/api/runs/{run}/calibration": {Handle: s.OfRun(s.serveCalibration)},
		"/api/runs/{run}/stop":        {Handle: s.OfRun(s.serveStop)},
	}
}

// OfRun returns a handler of the run that a request names.
func (s *Server) OfRun(handle func(http.ResponseWriter, *http.Request, answer.Query, *Run) error) func(http.ResponseWriter, *http.Request, answer.Query) error {
	return func(w http.ResponseWriter, r *http.Request, q answer.Query) error {
		name, all := r.PathValue("run"), s.Now()
		i := slices.IndexFunc(all, func(r *Run) bool { return r.Name == name })
		if i < 0 {
			return answer.Error{Status: http.StatusNotFound, Text: fmt.Sprintf("there is no run %q: the page Runs lists all", name)}
		}
		return handle(w, r, q, all[i])
	}
}

// add adds a run unless the list has it, and names it by the last part of its path.
func (s *Server) add(r *Run) {
	if absolute, err := filepath.Abs(r.Dir); err == nil {
		r.Dir = absolute
	}
	has := func(is func(*Run) bool) bool { return slices.ContainsFunc(s.all, is) }
	if has(func(other *Run) bool { return other.Dir == r.Dir }) {
		return
	}
	base := strings.TrimSuffix(filepath.Base(r.Dir), ".safetensors")
	r.server = s
	r.Name = free(base, func(name string) bool { return has(func(other *Run) bool { return other.Name == name }) })
	r.player = free(r.Name, func(name string) bool {
		return slices.Contains(s.others, name) || has(func(other *Run) bool { return other.player == name })
	})
	s.all = append(s.all, r)
}

// free returns a name that is not taken, which begins with base.
func free(base string, taken func(name string) bool) string {
	name := base
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// Now returns all runs, after a look into the folder for new and removed ones. It opens no run's files.
func (s *Server) Now() []*Run {
	if s.options.Folder == "" {
		return s.all
	}
	there := s.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(slices.Clone(s.all), func(r *Run) bool { return r.found && !slices.Contains(there, r.Dir) })
	for _, dir := range there {
		s.add(&Run{Dir: dir, found: true})
	}
	return s.all
}

// Games returns the names of the games that the runs play.
func (s *Server) Games(ctx context.Context) (names []string) {
	configs := each(s.Now(), func(r *Run) config {
		c, err := r.config(ctx)
		if err != nil {
			return config{}
		}
		return c
	})
	for _, c := range configs {
		if c.game != nil {
			names = append(names, c.game.Info().Name)
		}
	}
	return names
}

// each returns what f says of each run. It calls f for all at once: a first look at a hundred runs reads as many files.
func each[T any](all []*Run, f func(*Run) T) []T {
	answers := make([]T, len(all))
	var asked sync.WaitGroup
	for i, r := range all {
		asked.Go(func() { answers[i] = f(r) })
	}
	asked.Wait()
	return answers
}

// Models returns the runs' models, each run's newest first. With the name of a player, it returns that one's only, if
// there is one, and lists no others.
func (s *Server) Models(player string) (list []positions.Model) {
	for _, r := range s.Now() {
		if player != "" {
			if m, ok := r.find(player); ok {
				return []positions.Model{m}
			}
			continue
		}
		models, _ := checkpoint.ModelFiles(r.Dir) // none yet
		for i, m := range slices.Backward(models) {
			list = append(list, r.model(m, i == len(models)-1))
		}
	}
	return list
}

func (r *Run) model(m checkpoint.PublishedModel, newest bool) positions.Model {
	name := r.player
	if !newest {
		name = fmt.Sprintf("%s@%d", r.Name, m.Iteration)
	}
	return positions.Model{Name: name, Run: r.Name, Iteration: m.Iteration, Newest: newest, File: m.File}
}

// find returns the model of a player's name if the run has it. It opens no model, and lists none.
func (r *Run) find(player string) (positions.Model, bool) {
	if player == r.player {
		m, err := checkpoint.NewestModel(r.Dir)
		return r.model(m, true), err == nil
	}
	text, _ := strings.CutPrefix(player, r.Name+"@")
	iteration, err := strconv.Atoi(text)
	m := r.model(checkpoint.PublishedModel{Iteration: iteration, File: filepath.Join(r.Dir, checkpoint.ModelName(iteration))}, false)
	return m, err == nil && m.Name == player
}

// look returns the directories of the folder's runs, in the order of their names.
func (s *Server) look() (dirs []string) {
	folder, err := filepath.Abs(s.options.Folder)
	if err != nil {
		s.options.Warn(err)
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.options.Warn(err)
	}
	for _, e := range entries {
		if dir := filepath.Join(folder, e.Name()); isRun(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// isRun reports whether a directory has settings, readable or not.
func isRun(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	_, err = os.Lstat(filepath.Join(dir, checkpoint.ConfigFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// config is run.ReadConfig with a memory.
func (r *Run) config(ctx context.Context) (config, error) {
	return r.server.configs.Get(ctx, filepath.Join(r.Dir, checkpoint.ConfigFile), "", func() (c config, err error) {
		c.Config, c.game, err = run.ReadConfig(r.Dir)
		return c, err
	})
}

// newest returns the run's last metrics, zero if there are none.
func (r *Run) newest(ctx context.Context) (checkpoint.Metrics, error) {
	return r.server.newest.Get(ctx, checkpoint.MetricsFile(r.Dir), "", func() (m checkpoint.Metrics, err error) {
		all, err := checkpoint.ReadMetrics(r.Dir)
		if len(all) > 0 {
			m = all[len(all)-1]
		}
		return m, err
	})
}
