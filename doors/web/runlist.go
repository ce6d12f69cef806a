package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"tengen/run"
	"tengen/train/checkpoint"
)

// servedRun is a run that requests can name. live is nil unless this process trains it.
type servedRun struct {
	name  string
	dir   string
	live  *Live
	found bool // in Options.Folder
	warn  func(error)
	list  *runList
}

// maxRuns is the maximum number of runs whose files are remembered.
const maxRuns = 10_000

// runList holds the runs of a server. It is safe for concurrent use.
type runList struct {
	folder string
	warn   func(error)

	configs *memo[config]
	newest  *memo[checkpoint.Metrics]
	looks   atomic.Uint64 // into the folder

	mu   sync.Mutex
	all  []*servedRun
	last uint64 // look that all is from
}

// config is what a run's directory says of its settings.
type config struct {
	run.Config
	game run.Game
}

func newServedRuns(o Options) *runList {
	l := &runList{folder: o.Folder, warn: o.Warn, configs: newMemo[config](maxRuns), newest: newMemo[checkpoint.Metrics](maxRuns)}
	if o.Live != nil {
		l.add(&servedRun{dir: o.Live.dir, live: o.Live})
	}
	for _, dir := range o.Runs {
		l.add(&servedRun{dir: dir})
	}
	return l
}

// add adds a run unless the list has it, and names it by the last part of its path.
func (l *runList) add(r *servedRun) {
	if absolute, err := filepath.Abs(r.dir); err == nil {
		r.dir = absolute
	}
	if slices.ContainsFunc(l.all, func(other *servedRun) bool { return other.dir == r.dir }) {
		return
	}
	r.name, r.warn, r.list = baseName(r.dir), l.warn, l
	for n := 2; slices.ContainsFunc(l.all, func(other *servedRun) bool { return other.name == r.name }); n++ {
		r.name = fmt.Sprintf("%s-%d", baseName(r.dir), n)
	}
	l.all = append(l.all, r)
}

// now returns all runs, after a look into the folder for new and removed ones. It opens no run's files.
func (l *runList) now() []*servedRun {
	if l.folder == "" {
		return l.all
	}
	look, there := l.looks.Add(1), l.look()
	l.mu.Lock()
	defer l.mu.Unlock()
	if look < l.last { // a later look was faster
		return l.all
	}
	l.last = look
	l.all = slices.DeleteFunc(slices.Clone(l.all), func(r *servedRun) bool { return r.found && !slices.Contains(there, r.dir) })
	for _, dir := range there {
		l.add(&servedRun{dir: dir, found: true})
	}
	return l.all
}

// look returns the directories of the folder's runs, in the order of their names.
func (l *runList) look() (dirs []string) {
	entries, err := os.ReadDir(l.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.warn(err)
	}
	for _, e := range entries {
		if dir := filepath.Join(l.folder, e.Name()); isRun(dir) {
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
func (r *servedRun) config(ctx context.Context) (config, error) {
	return r.list.configs.get(ctx, filepath.Join(r.dir, checkpoint.ConfigFile), "", func() (c config, err error) {
		c.Config, c.game, err = run.ReadConfig(r.dir)
		return c, err
	})
}

// newest returns the run's last metrics, zero if there are none.
func (r *servedRun) newest(ctx context.Context) (checkpoint.Metrics, error) {
	return r.list.newest.get(ctx, checkpoint.MetricsFile(r.dir), "", func() (m checkpoint.Metrics, err error) {
		all, err := checkpoint.ReadMetrics(r.dir)
		if len(all) > 0 {
			m = all[len(all)-1]
		}
		return m, err
	})
}

func (s *Server) ofRun(handle func(http.ResponseWriter, *http.Request, query, *servedRun) error) func(http.ResponseWriter, *http.Request, query) error {
	return func(w http.ResponseWriter, r *http.Request, q query) error {
		name, all := r.PathValue("run"), s.runs.now()
		i := slices.IndexFunc(all, func(r *servedRun) bool { return r.name == name })
		if i < 0 {
			return statusError{http.StatusNotFound, fmt.Sprintf("there is no run %q: the page Runs and /api/runs list all", name)}
		}
		return handle(w, r, q, all[i])
	}
}
