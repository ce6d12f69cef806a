package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/internal/disktest"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/replay"
	"tengen/train"
	"tengen/train/rundir"
)

// The runs whose disk fails have so many iterations of so many games. Their window is small, so that old games are dropped.
const diskIterations, diskGames = 4, 4

func diskRun(ctx context.Context, dir string, tell func(iteration int), warn func(error)) error {
	cfg := tinyConfig()
	cfg.Train.Iterations, cfg.Train.GamesPerIteration, cfg.Train.BatchSize, cfg.Train.Keep = diskIterations, diskGames, 8, 2
	cfg.Replay.Window, cfg.Replay.MinWindow = 20, 20
	e, err := Open(cfg.Game)
	if err != nil {
		return err
	}
	run, err := e.Train(ctx, TrainConfig{Config: cfg, Dir: dir, Warn: warn, Observe: func(e train.Event) {
		if e.Phase == train.PhaseDone {
			tell(e.Iteration)
		}
	}})
	if err != nil {
		return err
	}
	return errors.Join(run.Run(ctx), run.Close())
}

// trainChild trains in a process of its own, and prints the iterations that are committed.
func trainChild(dir string) error {
	embeddedPatience = 3 * time.Second
	return diskRun(context.Background(), dir, func(iteration int) { fmt.Println(iteration) }, func(err error) { fmt.Fprintln(os.Stderr, "warning:", err) })
}

// watchTraining runs trainChild.
func watchTraining(t *testing.T, judge func(disktest.Call) disktest.Verdict) (dir, stderr string, err error) {
	t.Helper()
	folder := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(folder, "run")
	stderr, err = disktest.Run(t, folder, []string{self}, []string{"TENGEN_CHILD=" + dir}, judge)
	return dir, stderr, err
}

// goOn ends the run in a directory, which a failure has left behind, and compares it with one that nothing has disturbed. warn is told
// of what the run warns of, and reports whether it may stay so.
func goOn(t *testing.T, whole, dir string, warn func(error) (stays bool)) {
	t.Helper()
	var mu sync.Mutex
	var stay []string
	err := diskRun(t.Context(), dir, func(int) {}, func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if warn(err) {
			stay = append(stay, err.Error())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, whole, dir)
	v, err := VerifyRun(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Problems {
		if !slices.Contains(stay, p.Text) {
			t.Errorf("%+v", p)
		}
	}
}

// same compares the files of a run that has ended with those of one that nothing has disturbed.
func same(t *testing.T, whole, dir string) {
	t.Helper()
	for _, pattern := range []string{"*.safetensors", "state/*.safetensors", "latest", "config.yaml"} {
		files, err := filepath.Glob(filepath.Join(whole, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			name, _ := filepath.Rel(whole, file)
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s differs from that of a run that was not disturbed (%v)", name, err)
			}
		}
	}
	if got, want := timeless(t, dir), timeless(t, whole); got != want {
		t.Errorf("metrics.jsonl holds, apart from what goes by the clock,\n%s\nwant\n%s", got, want)
	}
}

// timeless is what a run's metrics say apart from what goes by the clock.
func timeless(t *testing.T, dir string) string {
	t.Helper()
	all, err := rundir.ReadMetrics(dir)
	if err != nil || len(all) != diskIterations {
		t.Errorf("%d lines of metrics in %s, %v", len(all), dir, err)
	}
	for i := range all {
		all[i] = all[i].Timeless()
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Wherever the power goes, no iteration is lost that was reported as done, and the run goes on to the same bytes. What was not
// synced is lost, wholly or in part; names outside of the server's files are lost unless their folder was synced.
func TestPowerLoss(t *testing.T) {
	var calls []disktest.Call
	whole, stderr, err := watchTraining(t, func(c disktest.Call) disktest.Verdict {
		calls = append(calls, c)
		return 0
	})
	if err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	t.Logf("%d calls", len(calls))
	count := fulltest.Pick(4, 20)
	if *acceptance {
		count = 200
	}
	for round := range count {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			rng := random.New(5, random.Test, uint64(round))
			disk := disktest.Disk{Journalled: func(path string) bool { return strings.HasPrefix(path, "run/games") }}
			committed, folder := 0, t.TempDir()
			for _, c := range calls[:rng.IntN(len(calls)+1)] {
				if disk.Apply(c); c.Kind == disktest.Print {
					fmt.Sscan(string(c.Data), &committed)
				}
			}
			if err := disk.Lose(rng, folder); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(folder, "run")
			if committed > 0 {
				// The run is asked how far it has come before it goes on.
				newest, err := filepath.Glob(filepath.Join(dir, "state", "*.safetensors"))
				if want := fmt.Sprintf("checkpoint-%08d.safetensors", committed); err != nil || len(newest) == 0 || filepath.Base(newest[len(newest)-1]) < want {
					t.Errorf("there are %q (%v), want %s", newest, err, want)
				}
			}
			goOn(t, whole, dir, func(err error) (stays bool) {
				sequence := 0
				fmt.Sscanf(err.Error(), "sequence number %d", &sequence)
				// A game of a batch that was being written may be gone, and those behind it there.
				gap := errors.Is(err, replay.ErrMissing) && sequence > committed*diskGames
				if !gap && strings.Contains(err.Error(), "lost") {
					t.Error(err)
				}
				return gap
			})
		})
	}
}

// Whichever call fails, whichever write is cut, and from whichever on the disk is full, the run ends with an error that names the file
// and says why, or does without; and goes on afterwards, to the same bytes. A write that is cut and nothing else is no reason to end.
func TestFailingDisk(t *testing.T) {
	most := fulltest.Pick(1, 6)
	if *acceptance {
		most = 0
	}
	whole := ""
	disktest.Each(t, most, func(judge func(disktest.Call) disktest.Verdict) {
		dir, stderr, err := watchTraining(t, judge)
		if err != nil || stderr != "" {
			t.Fatal(err, stderr)
		}
		whole = dir
	}, func(t *testing.T, i *disktest.Injector) {
		t.Parallel()
		dir, stderr, err := watchTraining(t, i.Judge)
		if len(i.Hit) > 0 {
			t.Logf("%s %s: %v %s", i.Hit[0].Kind, i.Hit[0].Path, err, stderr)
		}
		if failed := i.Check(filepath.Dir(dir), stderr, err); failed != nil && !serverExplained(dir, stderr) {
			t.Error(failed)
		}
		warn := func(err error) bool { // perhaps of a game that was not acknowledged
			t.Log(err)
			return false
		}
		if i.Fault == disktest.Cut {
			warn = func(err error) bool {
				t.Errorf("after a write that was cut: %v", err)
				return false
			}
			if stderr != "" {
				t.Errorf("a write that was cut is no reason to complain: %s", stderr)
			}
		}
		if err == nil {
			same(t, whole, dir) // before a start would repair it
		}
		goOn(t, whole, dir, warn)
	})
}

// serverExplained reports whether a run has ended with what the log's server says of its folder when it cannot write there at all. It
// keeps the reason to itself.
func serverExplained(dir, stderr string) bool {
	return strings.Contains(stderr, filepath.Join(dir, "games")) && strings.Contains(stderr, "is not writable")
}
