package web

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

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
	known atomic.Pointer[knownConfig]
}

// knownConfig is the result of reading a run.yaml, and what tells whether the file has changed since.
type knownConfig struct {
	time time.Time
	size int64
	cfg  run.Config
	game run.Game
	err  error
}

// config is run.ReadConfig, which reads the file again only if its time or size has changed. It keeps errors too,
// except the system's, which may pass.
func (r *servedRun) config() (run.Config, run.Game, error) {
	info, err := os.Lstat(filepath.Join(r.dir, checkpoint.ConfigFile))
	if k := r.known.Load(); err == nil && k != nil && k.time.Equal(info.ModTime()) && k.size == info.Size() {
		return k.cfg, k.game, k.err
	}
	cfg, game, unread := run.ReadConfig(r.dir)
	if err == nil && !errors.As(unread, new(syscall.Errno)) {
		r.known.Store(&knownConfig{info.ModTime(), info.Size(), cfg, game, unread})
	}
	return cfg, game, unread
}

// runList holds the runs of a server. It is safe for concurrent use.
type runList struct {
	folder string
	warn   func(error)

	mu  sync.Mutex
	all []*servedRun
}

func newServedRuns(o Options) *runList {
	l := &runList{folder: o.Folder, warn: o.Warn}
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
	r.name, r.warn = baseName(r.dir), l.warn
	for n := 2; slices.ContainsFunc(l.all, func(other *servedRun) bool { return other.name == r.name }); n++ {
		r.name = fmt.Sprintf("%s-%d", baseName(r.dir), n)
	}
	l.all = append(l.all, r)
}

// now returns all runs, after a look into the folder for new and removed ones. It opens no file of a run.
func (l *runList) now() []*servedRun {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.folder == "" {
		return l.all
	}
	l.all = slices.DeleteFunc(slices.Clone(l.all), func(r *servedRun) bool { return r.found && !isRun(r.dir) })
	entries, err := os.ReadDir(l.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.warn(err)
	}
	for _, e := range entries {
		if dir := filepath.Join(l.folder, e.Name()); isRun(dir) {
			l.add(&servedRun{dir: dir, found: true})
		}
	}
	return l.all
}

// isRun reports whether a directory holds a run, readable or not.
func isRun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, checkpoint.ConfigFile))
	return err == nil
}

func (s *Server) ofRun(handle func(http.ResponseWriter, *http.Request, query, *servedRun) error) func(http.ResponseWriter, *http.Request, query) error {
	return func(w http.ResponseWriter, r *http.Request, q query) error {
		name, all := r.PathValue("run"), s.runs.now()
		i := slices.IndexFunc(all, func(r *servedRun) bool { return r.name == name })
		if i < 0 {
			return statusError{http.StatusNotFound, fmt.Sprintf("there is no run %q: /api/runs lists them", name)}
		}
		return handle(w, r, q, all[i])
	}
}
