package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// undisturbed is the directory of a run that nothing happened to.
func undisturbed(t *testing.T) (path string, files map[string]string) {
	t.Helper()
	path = t.TempDir()
	if err := newRun().in(t, path); err != nil {
		t.Fatal(err)
	}
	return path, contents(t, path)
}

func wantSame(t *testing.T, path string, want map[string]string) {
	t.Helper()
	got := contents(t, path)
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs from that of the undisturbed run", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("the directory holds %d files, that of the undisturbed run %d: %v", len(got), len(want), got)
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

// However and whenever a run stops, it goes on to the same files as if it had not: every commit of every iteration cut
// short before each of its parts, self-play and evaluation failing, training cancelled at each step.
func TestResumeIsExact(t *testing.T) {
	_, want := undisturbed(t)
	interruptions := map[string]func(r *run, n int){
		"commit": func(r *run, n int) {
			fail := countdown(n)
			r.before = func(string) error { return fail() }
		},
		"self-play": func(r *run, n int) {
			r.selfPlay.fail = func(game uint64) error {
				if game == uint64(n) {
					return errKilled
				}
				return nil
			}
		},
		"evaluation": func(r *run, n int) { r.judge.fail = countdown(n) },
		"step": func(r *run, n int) {
			ctx, cancel := context.WithCancelCause(context.Background())
			r.ctx = ctx
			reached := countdown(n)
			r.observe = func(e Event) {
				if e.Phase == PhaseTrain && reached() != nil {
					cancel(errKilled)
				}
			}
		},
	}
	for name, interrupt := range interruptions {
		t.Run(name, func(t *testing.T) {
			for n := 0; ; n++ {
				path := t.TempDir()
				r := newRun()
				interrupt(r, n)
				err := r.in(t, path)
				if err == nil {
					if n < 2 {
						t.Errorf("only %d interruptions took place", n)
					}
					return // the run had fewer such instants than n
				}
				if !errors.Is(err, errKilled) && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if err := newRun().in(t, path); err != nil {
					t.Fatalf("interrupted at %d, the run cannot go on: %v", n, err)
				}
				wantSame(t, path, want)
			}
		})
	}
}

// A run that is killed again and again gets there too.
func TestResumeAgainAndAgain(t *testing.T) {
	_, want := undisturbed(t)
	path := t.TempDir()
	for n := 0; ; n++ {
		r := newRun()
		fail := countdown(n)
		r.before = func(string) error { return fail() }
		err := r.in(t, path)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
	}
	wantSame(t, path, want)
}

// What a kill in the middle of writing leaves behind is cleared away.
func TestResumeClearsAway(t *testing.T) {
	_, want := undisturbed(t)
	path := t.TempDir()
	r := newRun()
	parts := 0
	r.before = func(part string) error {
		if part == "state" {
			parts++
		}
		if parts == 3 { // the second iteration is not committed
			return errKilled
		}
		return nil
	}
	if err := r.in(t, path); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		".tengen-1234.tmp":                         "half a model",
		"state/.tengen-99.tmp":                     "half a window",
		"model-00000007.safetensors":               "a model of an iteration that never was",
		"state/learner-00000003.safetensors":       "a learner",
		"state/window-00000001.bin":                "an old window",
		"latest":                                   "model-00000007.safetensors\n",
		"notes.txt":                                "somebody's own file",
		"model-2.safetensors":                      "somebody's own model",
		"state/learner-00000002.safetensors.saved": "a copy",
	} {
		if name == "state/window-00000001.bin" {
			continue // it is the committed one here
		}
		if err := os.WriteFile(filepath.Join(path, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	metrics, err := os.OpenFile(filepath.Join(path, metricsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(metrics, `{"iteration":1,"torn`)
	metrics.Close()

	if err := newRun().in(t, path); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes.txt", "model-2.safetensors", "state/learner-00000002.safetensors.saved"} {
		if err := os.Remove(filepath.Join(path, name)); err != nil {
			t.Errorf("a file that is not the run's own was touched: %v", err)
		}
	}
	wantSame(t, path, want)
}

// A finished run has nothing left to do, and goes on when it is given more iterations.
func TestResumeOfAFinishedRun(t *testing.T) {
	path, want := undisturbed(t)
	r := newRun()
	if err := r.in(t, path); err != nil {
		t.Fatal(err)
	}
	if len(r.selfPlay.models) != 0 {
		t.Error("a finished run played games")
	}
	wantSame(t, path, want)

	r.cfg.Iterations++
	if err := r.in(t, path); err != nil {
		t.Fatal(err)
	}
	if m := readMetrics(t, path); len(m) != 4 || m[3].Iteration != 4 || m[3].Games != 12 {
		t.Errorf("after a fourth iteration: %+v", m)
	}
}

// The number of processor cores changes nothing.
func TestRunsAreRepeatable(t *testing.T) {
	_, want := undisturbed(t)
	_, again := undisturbed(t)
	if !reflect.DeepEqual(again, want) {
		t.Error("two runs with the same seed differ")
	}
}
