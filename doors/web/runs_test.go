package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/doors/web/runs"
	"tengen/replay/gamesdb"
	"tengen/run/runtest"
	"tengen/train/checkpoint"
)

// A directory that is no run yet, half a run, or one with a key that is unknown, says what is wrong with it, but not where it is.
func TestRunsThatCannotBeRead(t *testing.T) {
	checkUnreadable(t, map[string]unreadable{
		"empty":             {func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)) }, "is not a run directory", 404},
		"absent":            {os.RemoveAll, "is not a run directory", 404},
		"a later key":       {func(dir string) error { return appendTo(dir, "run.yaml", "later: 1\n") }, `unknown key "later"`, 500},
		"half a line":       {func(dir string) error { return appendTo(dir, "metrics.jsonl", `{"iteration":3,`) }, "", 200},
		"a damaged line":    {func(dir string) error { return appendTo(dir, "metrics.jsonl", "{]\n{}\n") }, "", 200},
		"no games":          {func(dir string) error { return os.Remove(filepath.Join(dir, gamesdb.FileName)) }, "", 404},
		"no metrics":        {func(dir string) error { return os.Remove(filepath.Join(dir, "metrics.jsonl")) }, "", 200},
		"no models":         {func(dir string) error { return os.Remove(filepath.Join(dir, "latest")) }, "", 200},
		"damaged games":     {func(dir string) error { return overwrite(dir, gamesdb.FileName, "damaged") }, "", 500},
		"metrics a device":  {func(dir string) error { return makeLink(dir, "metrics.jsonl", "/dev/zero") }, "not a regular file", 200},
		"a model a device":  {func(dir string) error { return makeLink(dir, "model-00000002.safetensors", "/dev/zero") }, "", 200},
		"metrics too large": {func(dir string) error { return os.Truncate(filepath.Join(dir, "metrics.jsonl"), 10<<30) }, "are allowed", 200},
		"metrics a folder":  {func(dir string) error { return makeFolder(dir, "metrics.jsonl") }, "metrics.jsonl", 200},
	})
}

// unreadable is a way to spoil a run.
type unreadable struct {
	spoil func(dir string) error
	want  string // in the list of runs
	games int    // status
}

func checkUnreadable(t *testing.T, cases map[string]unreadable) {
	t.Helper()
	for name, c := range cases {
		dir := filepath.Join(t.TempDir(), "tiny")
		if err := errors.Join(os.CopyFS(dir, os.DirFS(runtest.Run(t))), c.spoil(dir)); err != nil {
			t.Fatal(err)
		}
		s := newServer(t, func(o *Options) { o.Runs, o.Warn = []string{dir}, nil })
		var list struct{ Runs []struct{ Error *string } }
		decode(t, ask(s, request("/api/runs")).Body.String(), &list)
		text := ""
		if list.Runs[0].Error != nil {
			text = *list.Runs[0].Error
		}
		if !strings.Contains(text, c.want) || (text == "") != (c.want == "") || strings.Contains(text, filepath.Dir(dir)) {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
		if w := ask(s, request("/api/runs/tiny/games")); w.Code != c.games || strings.Contains(w.Body.String(), filepath.Dir(dir)) {
			t.Errorf("%s: status %d, want %d: %s", name, w.Code, c.games, w.Body)
		}
		if w := ask(s, request("/api/players?game=tictactoe")); w.Code != http.StatusOK {
			t.Errorf("%s: the players have status %d: %s", name, w.Code, w.Body)
		}
	}
}

// appendTo writes at the end of a file of a run.
func appendTo(dir, name, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// overwrite replaces the content of a file of a run.
func overwrite(dir, name, text string) error {
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
}

// makeFolder replaces a run's file with a folder.
func makeFolder(dir, name string) error {
	path := filepath.Join(dir, name)
	return errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
}

// makeLink replaces a run's file with a link.
func makeLink(dir, name, to string) error {
	path := filepath.Join(dir, name)
	return errors.Join(os.Remove(path), os.Symlink(to, path))
}

// Only visitors with the token can end a training after its iteration.
func TestStopAfterIteration(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	live := runs.NewLive(filepath.Join(t.TempDir(), "run"))
	live.Stop = cancel
	config := runtest.Config()
	config.Train.Iterations = 50
	training := runtest.Train(t, config, live.Dir, live.Observe)
	live.Attach(training, true)
	s := newServer(t, func(o *Options) { o.Live, o.Token = live, "secret" })
	post := func(target, token string) *http.Request {
		r := request(target)
		r.Method = http.MethodPost
		r.Header.Set("Authorization", "Bearer "+token)
		return r
	}
	get := request("/api/runs/run/stop")
	get.Header.Set("Authorization", "Bearer secret")
	wantError(t, s, get, http.StatusMethodNotAllowed, "use POST")
	wantError(t, s, post("/api/runs/run/stop", "wrong"), http.StatusUnauthorized, "token")
	foreign := post("/api/runs/run/stop", "secret")
	foreign.Header.Set("Origin", "http://evil.example")
	wantError(t, s, foreign, http.StatusForbidden, "other sites")
	open := newServer(t, func(o *Options) { o.Live = live })
	wantError(t, open, post("/api/runs/run/stop", ""), http.StatusForbidden, "press Ctrl-C")
	wantError(t, newServer(t, func(o *Options) { o.Runs = []string{live.Dir} }), post("/api/runs/run/stop", ""), http.StatusConflict, "does not train")
	state := func() (run struct {
		Live struct{ Stopping, Stoppable bool }
	}) {
		r := request("/api/runs/run")
		r.Header.Set("Authorization", "Bearer secret")
		decode(t, ask(s, r).Body.String(), &run)
		return run
	}
	if run := state(); run.Live.Stopping || !run.Live.Stoppable {
		t.Errorf("before: %+v", run)
	}
	if w := ask(s, post("/api/runs/run/stop", "secret")); w.Code != http.StatusOK {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
	if err := training.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if run := state(); !run.Live.Stopping || training.Iteration() != 1 {
		t.Errorf("iteration %d, %+v", training.Iteration(), run)
	}
	if err := training.Close(); err != nil {
		t.Error(err)
	}
}

// A visitor can take the report of a run along.
func TestReportOfRun(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Runs = []string{runtest.Run(t)} })
	w := ask(s, request("/api/runs/tiny/report?axis=steps"))
	if d := w.Header().Get("Content-Disposition"); w.Code != http.StatusOK || d != "attachment; filename=tiny.html" ||
		!strings.Contains(w.Body.String(), `axis=steps`) {
		t.Errorf("status %d, %s, %d bytes", w.Code, d, w.Body.Len())
	}
	wantError(t, s, request("/api/runs/tiny/report?axis=days"), http.StatusBadRequest, "must be one of games")
}

// Whoever watches a training hears of each iteration once, of its phases, and of its end; its games can be read meanwhile.
func TestWatchTraining(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	live := runs.NewLive(dir)
	training := runtest.Train(t, runtest.Config(), dir, live.Observe)
	page, stop, err := ServeTraining("127.0.0.1:0", live, training, Default())
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(page + "api/runs/run/events")
	if err != nil {
		t.Fatal(err)
	}
	watcher := newClient(t, resp)
	var first struct {
		Phase    string
		Finished bool
	}
	decode(t, watcher.must("live").data, &first)
	if first.Phase != "starting" || first.Finished {
		t.Errorf("before it begins: %+v", first)
	}
	if err := training.Run(t.Context()); err != nil {
		t.Error(err)
	}
	games, err := http.Get(page + "api/runs/run/games?count=500")
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Games []any }
	if err := errors.Join(json.NewDecoder(games.Body).Decode(&list), games.Body.Close()); err != nil || len(list.Games) != 16 {
		t.Errorf("%d games, %v", len(list.Games), err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	for want := 1; want <= 2; want++ {
		var l checkpoint.Line
		decode(t, watcher.must("line").data, &l)
		e := watcher.must("metrics")
		var m checkpoint.Metrics
		decode(t, e.data, &m)
		if l.Iteration != want || l.Games != m.Games || m.Iteration != want || e.id != fmt.Sprint(want) {
			t.Errorf("iteration %d with id %s, want %d", m.Iteration, e.id, want)
		}
	}
	watcher.must("end")
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if err := training.Close(); err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// A browser that connects again is told what it has missed.
func TestEventsGoOn(t *testing.T) {
	s := newServer(t, func(o *Options) {
		quick(o)
		o.Runs = []string{runtest.Run(t)}
	})
	server := listening(t, s)
	if e := open(t, server, "/api/runs/tiny/events?after=1").must("metrics"); e.id != "2" {
		t.Errorf("iteration %s after 1", e.id)
	}
	if e := open(t, server, "/api/runs/tiny/events", "Last-Event-ID", "1").must("metrics"); e.id != "2" {
		t.Errorf("iteration %s after 1", e.id)
	}
	wantError(t, s, request("/api/runs/tiny/events?after=x"), 400, "after is")
}

// Warnings name directories, and directories can have any name.
func TestWarningsArePrintable(t *testing.T) {
	dir := copyRun(t, "a\x1b[2J\ntengen: error: forged")
	if err := appendTo(dir, "run.yaml", "? "+strings.Repeat("x", 10_000)+"\n: 1\n"); err != nil {
		t.Fatal(err)
	}
	var warnings []string
	s := newServer(t, func(o *Options) {
		o.Folder, o.Warn = filepath.Dir(dir), func(err error) { warnings = append(warnings, err.Error()) }
	})
	ask(s, request("/api/runs"))
	if len(warnings) != 1 || strings.ContainsAny(warnings[0], "\x1b\n") || len(warnings[0]) > 600 {
		t.Errorf("%d bytes: %.1000q", len(warnings[0]), warnings)
	}
}
