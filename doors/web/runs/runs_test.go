package runs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tengen/replay"
	"tengen/run/runtest"
	"tengen/train"
	"tengen/train/checkpoint"
)

// What a training is doing follows from its events and the time.
func TestLive(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l := NewLive("run")
	l.now = func() time.Time { return now }
	l.pace.First = 2
	state := func() LiveJSON {
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

// The runs of a folder stay the same ones while they are there. A relative folder is an absolute one later.
func TestFolderKeepsRuns(t *testing.T) {
	folder := manyRuns(t, "a")
	t.Chdir(filepath.Dir(folder))
	s := newServer(t, func(o *Options) { o.Folder = filepath.Base(folder) })
	if before, now := s.Now(), s.Now(); len(before) != 1 || before[0] != now[0] {
		t.Errorf("the runs are %v, then %v", before, now)
	}
}

// Predicted values stand beside results, for the side to move.
func TestCalibrate(t *testing.T) {
	var bins [calibrationBins]binJSON
	calibrate(&bins, &replay.Record{Opening: 1, Outcome: 1, Values: []float32{-1, 1}}) // the second player, then the first
	if want := (binJSON{1, -1, -1}); bins[0] != want {
		t.Errorf("%+v, want %+v", bins[0], want)
	}
	if want := (binJSON{1, 1, 1}); bins[calibrationBins-1] != want {
		t.Errorf("%+v, want %+v", bins[calibrationBins-1], want)
	}
}

// A player is found by its name. It has no other player's name.
func TestModelOfName(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Folder = manyRuns(t, "a", "uct") })
	var names []string
	for _, m := range s.Models("") {
		names = append(names, m.Name)
		found := s.Models(m.Name)
		if len(found) != 1 || found[0] != m {
			t.Errorf("%s is %+v, want %+v", m.Name, found, m)
		}
	}
	if want := []string{"a", "a@1", "a@0", "uct-2", "uct@1", "uct@0"}; !slices.Equal(names, want) {
		t.Errorf("the models are %v, want %v", names, want)
	}
	for _, name := range []string{"uct", "b", "a@", "a@01", "a@x"} {
		if found := s.Models(name); len(found) > 0 {
			t.Errorf("%s is %+v", name, found)
		}
	}
}
