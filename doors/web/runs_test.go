package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/doors/web/positions"
	"tengen/doors/web/runs"
	"tengen/replay/gamesdb"
	"tengen/run"
	"tengen/run/runtest"
	"tengen/train/checkpoint"
)

func TestRuns(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Runs = []string{runtest.Run(t), filepath.Join(t.TempDir(), "gone"), runtest.Run(t)}
	})
	var listed struct {
		Folder string
		Runs   []runs.RunJSON
		Charts []checkpoint.Chart
	}
	get(t, s, "/api/runs", &listed)
	if len(listed.Runs) != 2 || len(listed.Charts) != len(checkpoint.Charts) {
		t.Fatalf("%+v", listed)
	}
	r := listed.Runs[0]
	if r.Name != "tiny" || r.Game != "tictactoe" || r.Iteration != 2 || r.Iterations != 2 || r.Games != 16 || r.Training || r.Time == nil ||
		!slices.Equal(r.Models, []int{0, 1, 2}) || r.Error != nil {
		t.Errorf("%+v", r)
	}
	if r := listed.Runs[1]; r.Name != "gone" || r.Error == nil {
		t.Errorf("%+v", r)
	}
	keys := run.ConfigKeys()
	var run struct {
		runs.RunJSON
		Config   map[string]any
		Defaults map[string]any
		Metrics  []map[string]any
		Lines    []checkpoint.Line
		Live     *runs.LiveJSON
	}
	get(t, s, "/api/runs/tiny", &run)
	if run.Config["train.iterations"] != 2.0 || run.Config["game"] != "tictactoe" || len(run.Metrics) != 2 || run.Live != nil ||
		run.Metrics[1]["iteration"] != 2.0 || run.Metrics[1]["policy_loss"] == nil {
		t.Errorf("%+v", run)
	}
	if len(run.Lines) != 2 || run.Lines[1].Games != 16 || len(run.Lines[1].Points["losses"]) != 4 {
		t.Errorf("%+v", run.Lines)
	}
	if len(run.Config) != len(keys) {
		t.Errorf("%d keys of the configuration, there are %d", len(run.Config), len(keys))
	}
	changed := runtest.Config().ChangedYAML()
	for key, value := range run.Config {
		usual, differs := run.Defaults[key]
		name := key[strings.LastIndex(key, ".")+1:]
		if listed := bytes.Contains(changed, []byte(name+": ")); differs && (!listed || reflect.DeepEqual(usual, value)) {
			t.Errorf("%s is %v, and %v is given as another default", key, value, usual)
		}
	}
	if n := len(run.Defaults); n != bytes.Count(changed, []byte(": ")) || run.Defaults["game"] != "connect4" {
		t.Errorf("%d settings differ from the defaults, among them the game from %v:\n%s", n, run.Defaults["game"], changed)
	}
}

func TestGamesOfRun(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Runs = []string{runtest.Run(t)} })
	var list struct {
		Oldest, Newest uint64
		Games          []runs.GameJSON
	}
	ids := func(query string) (ids []uint64) {
		get(t, s, "/api/runs/tiny/games"+query, &list)
		for _, g := range list.Games {
			ids = append(ids, g.ID)
		}
		return ids
	}
	for query, want := range map[string][]uint64{
		"?count=3": {0, 1, 2}, "?first=14": {14, 15}, "?first=-2": {14, 15}, "?first=-99&count=1": {0}, "?first=5&count=2": {5, 6},
		"?first=16": nil, "?first=-1": {15},
	} {
		if got := ids(query); !slices.Equal(got, want) || list.Oldest != 0 || list.Newest != 15 {
			t.Errorf("%s: games %v of %d to %d, want %v", query, got, list.Oldest, list.Newest, want)
		}
	}
	if got := ids(""); len(got) != 16 {
		t.Errorf("%d games", len(got))
	}
	for _, g := range list.Games {
		var record runs.RecordJSON
		get(t, s, fmt.Sprintf("/api/runs/tiny/games/%d", g.ID), &record)
		if record.ID != g.ID || record.Moves != g.Moves || record.Winner != *g.Winner || len(record.Plies) != g.Plies || record.End == "" {
			t.Fatalf("%+v is not %+v", record, g)
		}
		var moves []string
		for _, p := range record.Plies {
			moves = append(moves, p.Move)
			sum := float32(0)
			for _, share := range p.Policy {
				sum += share
			}
			if !p.Opening && (*p.Value < -1 || *p.Value > 1 || sum < 0.999 || sum > 1.001) {
				t.Errorf("game %d: %+v", g.ID, p)
			}
		}
		var position positions.PositionJSON
		get(t, s, "/api/position?game=tictactoe&moves="+url.QueryEscape(strings.Join(moves, " ")), &position)
		if position.Moves != g.Moves || !position.Over || *position.Winner != *g.Winner {
			t.Errorf("game %d does not lead to its end: %+v", g.ID, position)
		}
	}
	wantError(t, s, request("/api/runs/tiny/games/16"), 404, "does not hold game 16")
	wantError(t, s, request("/api/runs/tiny/games/-1"), 400, `"-1" is not a game number`)
	wantError(t, s, request("/api/runs/tiny/games/x"), 400, `"x" is not a game number`)
	wantError(t, s, request("/api/runs/tiny/games?count=501"), 400, "must be 1 to 500")
	wantError(t, s, request("/api/runs/tiny/games?first=x"), 400, "first is")
}

// The games of a run that another process trains can be read as well, and do not keep that process from going on.
func TestGamesInUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	training := runtest.Train(t, runtest.Config(), dir, nil)
	s := newServer(t, func(o *Options) { o.Runs = []string{dir} })
	games := func() int {
		var list struct {
			Oldest, Newest *uint64 // null without games
			Games          []runs.GameJSON
		}
		get(t, s, "/api/runs/run/games", &list)
		if none := len(list.Games) == 0; (list.Oldest == nil) != none || (list.Newest == nil) != none {
			t.Errorf("%d games, from %v to %v", len(list.Games), list.Oldest, list.Newest)
		}
		return len(list.Games)
	}
	inTraining := func() bool {
		var list struct {
			Folder string
			Runs   []runs.RunJSON
			Charts []checkpoint.Chart
		}
		get(t, s, "/api/runs", &list)
		return list.Runs[0].Training
	}
	if n := games(); n != 0 {
		t.Errorf("%d games before the first", n)
	}
	if !inTraining() {
		t.Error("a run that another process trains is not called so")
	}
	if err := training.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if n := games(); n != 16 {
		t.Errorf("%d games, 16 were played", n)
	}
	if err := training.Close(); err != nil {
		t.Error(err)
	}
	if n := games(); n != 16 {
		t.Errorf("%d games after the training", n)
	}
	if inTraining() {
		t.Error("a run that has ended is called in training")
	}
}

// A visitor who leaves before the games have come is no fault of the run, of which nobody has to be warned.
func TestVisitorLeaves(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	dir := filepath.Join(t.TempDir(), "run")
	training := runtest.Train(t, runtest.Config(), dir, nil)
	live := runs.NewLive(dir)
	live.Attach(training)
	s := newServer(t, func(o *Options) {
		o.Live = live
		o.Warn = func(err error) { t.Errorf("a warning: %v", err) }
	})
	if w := ask(s, request("/api/runs/run/games").WithContext(gone)); w.Code == http.StatusOK {
		t.Error("the games have come all the same")
	}
	if err := training.Close(); err != nil {
		t.Error(err)
	}
}

// A run can have more iterations than train.iterations, which is then lowered.
func TestRunBeyondItsIterations(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tiny")
	if err := os.CopyFS(dir, os.DirFS(runtest.Run(t))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, checkpoint.ConfigFile)
	settings, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lower := strings.Replace(string(settings), "iterations: 2", "iterations: 1", 1)
	if err := os.WriteFile(file, []byte(lower), 0o644); err != nil || lower == string(settings) {
		t.Fatalf("the settings are %s, %v", lower, err)
	}
	var list struct {
		Folder string
		Runs   []runs.RunJSON
		Charts []checkpoint.Chart
	}
	get(t, newServer(t, func(o *Options) { o.Runs = []string{dir} }), "/api/runs", &list)
	if r := list.Runs[0]; r.Iteration != 2 || r.Iterations != 2 {
		t.Errorf("iteration %d of %d, want 2 of 2", r.Iteration, r.Iterations)
	}
}

// Predicted values stand beside results, for the side to move.
func TestCalibration(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Runs = []string{runtest.Run(t)} })
	var j runs.CalibrationJSON
	get(t, s, "/api/runs/tiny/calibration", &j)
	positions, last := 0, -1.0
	for _, b := range j.Bins {
		if b.Predicted < last || b.Predicted > 1 || b.Actual < -1 || b.Actual > 1 || b.Positions == 0 {
			t.Errorf("%+v after %g", b, last)
		}
		positions, last = positions+b.Positions, b.Predicted
	}
	if j.Games != 16 || positions < 16 {
		t.Errorf("%d games, %d positions", j.Games, positions)
	}
}

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
	live.Attach(training)
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
	open := newServer(t, func(o *Options) {
		o.Live = runs.NewLive(live.Dir)
		o.Live.Stop = cancel
	})
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
