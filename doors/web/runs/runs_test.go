package runs

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/engine"
	"tengen/replay"
	"tengen/run"
	"tengen/run/runtest"
	"tengen/train"
	"tengen/train/checkpoint"
)

func TestRuns(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Runs = []string{runtest.Run(t), filepath.Join(t.TempDir(), "gone"), runtest.Run(t)}
	})
	var runs struct {
		Runs   []runJSON
		Charts []checkpoint.Chart
	}
	get(t, s, "/api/runs", &runs)
	if len(runs.Runs) != 2 || len(runs.Charts) != len(checkpoint.Charts) {
		t.Fatalf("%+v", runs)
	}
	r := runs.Runs[0]
	if r.Name != "tiny" || r.Game != "tictactoe" || r.Iteration != 2 || r.Iterations != 2 || r.Games != 16 || r.Training || r.Time == nil ||
		!slices.Equal(r.Models, []int{0, 1, 2}) || r.Error != nil {
		t.Errorf("%+v", r)
	}
	if r := runs.Runs[1]; r.Name != "gone" || r.Error == nil {
		t.Errorf("%+v", r)
	}
	keys := run.ConfigKeys()
	var run struct {
		runJSON
		Config   map[string]any
		Defaults map[string]any
		Metrics  []map[string]any
		Lines    []checkpoint.Line
		Live     *liveJSON
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
	s := newServer(t, nil)
	var list struct {
		Oldest, Newest uint64
		Games          []gameOfRunJSON
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
	tictactoe, err := engine.Open("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(""); len(got) != 16 {
		t.Errorf("%d games", len(got))
	}
	for _, g := range list.Games {
		var record recordJSON
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
		position, err := tictactoe.Parse(strings.Join(moves, " "))
		if err != nil || position.Notation() != g.Moves || !position.Over || position.Winner() != *g.Winner {
			t.Errorf("game %d does not lead to its end: %+v", g.ID, position)
		}
	}
	wantError(t, s, "/api/runs/tiny/games/16", 404, "does not hold game 16")
	wantError(t, s, "/api/runs/tiny/games/-1", 400, `"-1" is not a game number`)
	wantError(t, s, "/api/runs/tiny/games/x", 400, `"x" is not a game number`)
	wantError(t, s, "/api/runs/tiny/games?count=501", 400, "must be 1 to 500")
	wantError(t, s, "/api/runs/tiny/games?first=x", 400, "first is")
}

// The games of a run that another process trains can be read as well, and do not keep that process from going on.
func TestGamesInUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	training := runtest.Train(t, runtest.Config(), dir, nil)
	s := newServer(t, func(o *Options) { o.Runs = []string{dir} })
	games := func() int {
		var list struct {
			Oldest, Newest *uint64 // null without games
			Games          []gameOfRunJSON
		}
		get(t, s, "/api/runs/run/games", &list)
		if none := len(list.Games) == 0; (list.Oldest == nil) != none || (list.Newest == nil) != none {
			t.Errorf("%d games, from %v to %v", len(list.Games), list.Oldest, list.Newest)
		}
		return len(list.Games)
	}
	inTraining := func() bool {
		var list runListJSON
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
	live := NewLive(dir)
	live.Attach(training, false)
	s := newServer(t, func(o *Options) {
		o.Live = live
		o.Warn = func(err error) { t.Errorf("a warning: %v", err) }
	})
	if w := ask(gone, s, "/api/runs/run/games"); w.Code == http.StatusOK {
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
		Runs   []runJSON
		Charts []checkpoint.Chart
	}
	get(t, newServer(t, func(o *Options) { o.Runs = []string{dir} }), "/api/runs", &list)
	if r := list.Runs[0]; r.Iteration != 2 || r.Iterations != 2 {
		t.Errorf("iteration %d of %d, want 2 of 2", r.Iteration, r.Iterations)
	}
}

// Predicted values stand beside results, for the side to move.
func TestCalibration(t *testing.T) {
	s := newServer(t, nil)
	var j calibrationJSON
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
	var bins [calibrationBins]binJSON
	calibrate(&bins, &replay.Record{Opening: 1, Outcome: 1, Values: []float32{-1, 1}}) // the second player, then the first
	if want := (binJSON{1, -1, -1}); bins[0] != want {
		t.Errorf("%+v, want %+v", bins[0], want)
	}
	if want := (binJSON{1, 1, 1}); bins[calibrationBins-1] != want {
		t.Errorf("%+v, want %+v", bins[calibrationBins-1], want)
	}
}

// What a training is doing follows from its events and the time.
func TestLive(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l := NewLive("run")
	l.now = func() time.Time { return now }
	l.pace.First = 2
	state := func() liveJSON {
		j, _, _ := l.state()
		return j
	}
	if j := state(); j.Phase != phaseStarting || j.Workers == nil {
		t.Errorf("%+v", j)
	}
	l.Observe(train.Event{Iteration: 3, Iterations: 6, Phase: train.PhaseSelfPlay, Total: 100})
	_, _, changed := l.state()
	l.Observe(train.Event{Iteration: 3, Iterations: 6, Phase: train.PhaseSelfPlay, Done: 30, Total: 100})
	now = now.Add(10 * time.Second)
	if j := state(); j.Done != 30 || j.GamesPerSecond != nil {
		t.Errorf("30 games were there, and none has been played: %+v", j)
	}
	l.Observe(train.Event{Iteration: 3, Iterations: 6, Phase: train.PhaseSelfPlay, Done: 70, Total: 100})
	select {
	case <-changed:
		t.Error("the phase has not changed")
	default:
	}
	if j := state(); j.Phase != "selfplay" || j.Done != 70 || j.Total != 100 || *j.GamesPerSecond != 4 || j.PhaseSeconds != 10 || j.SecondsLeft != nil {
		t.Errorf("%+v", j)
	}
	now = now.Add(10 * time.Second)
	l.Observe(train.Event{Iteration: 3, Iterations: 6, Phase: train.PhaseDone})
	l.Observe(train.Event{Iteration: 4, Iterations: 6, Phase: train.PhaseTrain, Total: 5})
	<-changed
	if j := state(); j.Phase != "train" || j.PhaseSeconds != 0 || *j.SecondsLeft != 60 || j.GamesPerSecond != nil {
		t.Errorf("an iteration of 20 seconds is done, three are left: %+v", j)
	}
	l.Observe(train.Event{Iteration: 5, Iterations: 6, Phase: train.PhaseSelfPlay, Total: 100})
	l.Observe(train.Event{Iteration: 5, Iterations: 6, Phase: train.PhaseSelfPlay, Total: 100})
	now = now.Add(10 * time.Second)
	l.Observe(train.Event{Iteration: 5, Iterations: 6, Phase: train.PhaseSelfPlay, Done: 40, Total: 100})
	l.set(&l.ended)
	if j, ended, _ := l.state(); !ended || j.GamesPerSecond != nil || j.Phase != phaseEnded || !j.Finished || j.SecondsLeft != nil {
		t.Errorf("%+v", j)
	}
}

// The page says which side of a run with workers waited, once an iteration has been timed.
func TestLiveWaiting(t *testing.T) {
	m := &checkpoint.Metrics{Iteration: 7, Seconds: checkpoint.Seconds{SelfPlay: 1, Total: 4, Rest: 3}}
	if waiting(0, m) != nil || waiting(1, nil) != nil {
		t.Error("it says something without workers, or before an iteration has ended")
	}
	if got, want := *waiting(1, m), "In iteration 7, training waited for games 25 % of the time, workers for training 75 %."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFolder finds the runs of a folder when they come, names them beside those given, and forgets them when they go.
func TestFolder(t *testing.T) {
	folder := t.TempDir()
	s := newServer(t, func(o *Options) { o.Runs, o.Folder = []string{runtest.Run(t)}, folder })
	names := func() (names []string) {
		for _, r := range s.Now() {
			names = append(names, r.Name)
		}
		return names
	}
	want := func(want ...string) {
		t.Helper()
		if got := names(); !slices.Equal(got, want) {
			t.Errorf("the runs are %v, want %v", got, want)
		}
	}
	want("tiny")
	for _, name := range []string{"tiny", "other"} {
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(runtest.Run(t))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(folder, "pretrained"), 0o755); err != nil {
		t.Fatal(err)
	}
	want("tiny", "other", "tiny-2")
	if err := os.RemoveAll(filepath.Join(folder, "other")); err != nil {
		t.Fatal(err)
	}
	want("tiny", "tiny-2")
}
