package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tengen/internal/fulltest"
	"tengen/net"
	"tengen/replay"
	"tengen/train/checkpoint"
)

// undisturbed is the directory of a run that nothing happened to.
func undisturbed(t *testing.T) (path string, files map[string]string) {
	t.Helper()
	return undisturbedRun(t, newRun())
}

func undisturbedRun(t *testing.T, r *run) (path string, files map[string]string) {
	t.Helper()
	path = t.TempDir()
	noError(t, r.in(t, path))
	return path, contents(t, path)
}

func wantSame(t *testing.T, path string, want map[string]string) {
	t.Helper()
	got := contents(t, path)
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs from the undisturbed run's", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("the directory holds %d files, the undisturbed run's %d: %v", len(got), len(want), got)
	}
}

var errKilled = errors.New("killed")

// countdown fails at its n-th call, from 0.
func countdown(n int) func() error {
	return func() error {
		if n--; n == -1 {
			return errKilled
		}
		return nil
	}
}

// interruptions are ways to stop a run at its n-th instant, from 0.
var interruptions = map[string]func(r *run, n int){
	"commit": func(r *run, n int) {
		fail := countdown(n)
		r.before = func(string) error { return fail() }
	},
	"self-play": func(r *run, n int) {
		fail := countdown(n)
		r.player.fail = func(uint64) error { return fail() }
	},
	"self-play by Ctrl-C": func(r *run, n int) {
		fail, cancel := countdown(n), r.cancel()
		r.player.fail = func(uint64) error {
			if fail() != nil {
				cancel(errKilled)
			}
			return nil
		}
	},
	"evaluation": func(r *run, n int) { r.arena.fail = countdown(n) },
	"step": func(r *run, n int) {
		reached, cancel := countdown(n), r.cancel()
		r.observe = func(e Event) {
			if e.Phase == PhaseTrain && reached() != nil {
				cancel(errKilled)
			}
		}
	},
}

// cancel returns what cancels the run.
func (r *run) cancel() context.CancelCauseFunc {
	ctx, cancel := context.WithCancelCause(r.ctx)
	r.ctx = ctx
	return cancel
}

// However and whenever a run stops, it continues to the same files as if it had not, and plays no game twice: every commit of
// every iteration cut short before each of its parts, self-play and evaluation failing, training cancelled at each step.
// With Config.Average, the learner's weights differ from the published model's.
func TestResumeIsExact(t *testing.T) {
	for variant, test := range map[string]struct {
		step   int // between the instants at which the run is stopped
		change func(*run)
	}{
		"plain":   {fulltest.Pick(2, 1), func(*run) {}},
		"average": {fulltest.Pick(7, 1), func(r *run) { r.cfg.Average = 0.8 }},
		"ahead":   {fulltest.Pick(5, 1), func(r *run) { r.ahead = 1 }},
	} {
		changed := func() *run {
			r := newRun()
			test.change(r)
			return r
		}
		_, want := undisturbedRun(t, changed())
		for name, interrupt := range interruptions {
			t.Run(variant+"/"+name, func(t *testing.T) {
				t.Parallel()
				for n := 0; ; n += test.step {
					path := t.TempDir()
					first, second := changed(), changed()
					interrupt(first, n)
					err := first.in(t, path)
					if err == nil {
						if n < 2 {
							t.Errorf("only %d interruptions took place", n)
						}
						return // the run had fewer such instants than n
					}
					if !errors.Is(err, errKilled) && !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					if err := second.in(t, path); err != nil {
						t.Fatalf("interrupted at %d, the run cannot continue: %v", n, err)
					}
					wantSame(t, path, want)
					wantPlayedOnce(t, 3*first.cfg.Iterations, first, second)
					if len(second.warnings) > 0 {
						t.Errorf("interrupted at %d, it warns of %q", n, second.warnings)
					}
				}
			})
		}
	}
}

// wantPlayedOnce checks that the processes together have played each of the first n games once.
func wantPlayedOnce(t *testing.T, n int, processes ...*run) {
	t.Helper()
	var played, want []uint64
	for _, r := range processes {
		played = append(played, r.player.played...)
	}
	for i := range n {
		want = append(want, uint64(i))
	}
	if slices.Sort(played); !slices.Equal(played, want) {
		t.Errorf("games %v were played, want each of %d once", played, n)
	}
}

// A run that is killed again and again gets there too, though no process lives to see more than two games end.
func TestResumeAgainAndAgain(t *testing.T) {
	_, want := undisturbed(t)
	path := t.TempDir()
	var processes []*run
	for n := 0; ; n++ {
		r := newRun()
		processes = append(processes, r)
		part, game := countdown(n%6), countdown(2)
		r.before = func(string) error { return part() }
		r.player.fail = func(uint64) error { return game() }
		err := r.in(t, path)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
	}
	wantSame(t, path, want)
	wantPlayedOnce(t, 9, processes...)
}

// tear adds half a line to the metrics.
func tear(t *testing.T, path string) {
	t.Helper()
	metrics, err := os.OpenFile(filepath.Join(path, metricsFile), os.O_APPEND|os.O_WRONLY, 0)
	noError(t, err)
	defer metrics.Close()
	if _, err := fmt.Fprint(metrics, `{"iteration":1,"torn`); err != nil {
		t.Fatal(err)
	}
}

// A finished run has nothing left to do, and continues when it is given more iterations.
func TestResumeOfAFinishedRun(t *testing.T) {
	path, want := undisturbed(t)
	r := newRun()
	noError(t, r.in(t, path))
	if len(r.player.models) != 0 {
		t.Error("a finished run played games")
	}
	wantSame(t, path, want)

	r.cfg.Iterations++
	noError(t, r.in(t, path))
	if m := readMetrics(t, path); len(m) != 4 || m[3].Iteration != 4 || m[3].Games != 12 {
		t.Errorf("after a fourth iteration: %+v", m)
	}
}

// A disk without room stops the run with an error that says so, wherever it happens; when there is room it continues. What was
// written before it was full lies about.
func TestFullDisk(t *testing.T) {
	_, want := undisturbed(t)
	full := fmt.Errorf("write x: %w", errNoRoom)
	for name, fill := range map[string]func(r *run, path string, n int){
		"commit": func(r *run, path string, n int) {
			fail := countdown(n)
			r.before = func(part string) error {
				if fail() == nil {
					return nil
				}
				if part == "metrics" && n > 0 { // at 0 there is no file yet
					tear(t, path)
				}
				return errors.Join(full, os.WriteFile(filepath.Join(path, stateFolder, ".tengen-7.tmp"), []byte("half"), 0o644))
			}
		},
		"log": func(r *run, path string, n int) {
			fail := countdown(n)
			r.append = func(*replay.Record) error {
				if fail() != nil {
					return full
				}
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := 0; ; n += 3 { // which comes to every part of a commit
				path := t.TempDir()
				r := newRun()
				fill(r, path, n)
				err := r.in(t, path)
				if err == nil {
					return
				}
				if !errors.Is(err, errNoRoom) {
					t.Fatal(err)
				}
				r = newRun()
				if err := r.in(t, path); err != nil || len(r.warnings) > 0 {
					t.Fatalf("full at %d, the run does not go on: %v, warnings %q", n, err, r.warnings)
				}
				wantSame(t, path, want)
			}
		})
	}
}

var errNoRoom = errors.New("no space left on device")

// A run with another network is an error and left as it is.
func TestRunOfAnotherNetwork(t *testing.T) {
	path, files := undisturbed(t)
	d := openTestDir(t, path)
	defer d.Close()
	cfg := testConfig()
	cfg.Keep = 1
	_, err := New(t.Context(), Setup{Config: cfg, Weights: net.NewWeights(net.Default(), testWeights().Shape, 1), Dir: d})
	wantError(t, err, "cannot continue with a network of")
	wantSame(t, path, files)
}

// A model says which search played its games, and still says it when the run continues with another search.
func TestModelsSayTheirSearch(t *testing.T) {
	path := t.TempDir()
	searches := []string{`{"simulations":32}`, `{"simulations":64}`, `{"simulations":128}`}
	for i, search := range searches {
		r := newRun()
		r.cfg.Iterations, r.search = 2+i, search // the first iteration learns nothing
		noError(t, r.in(t, path))
		if len(r.warnings) > 0 {
			t.Errorf("warnings %q", r.warnings)
		}
		for j, want := range searches[:i+1] {
			m, err := net.LoadModel(filepath.Join(path, checkpoint.ModelName(2+j)))
			noError(t, err)
			if string(m.Search) != want {
				t.Errorf("after run %d: the model of iteration %d says %q, want %q", i, 2+j, m.Search, want)
			}
		}
	}
}
