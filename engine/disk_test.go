package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/internal/disktest"
	"tengen/internal/random"
	"tengen/train"
)

// diskIterations is the number of iterations of the runs whose disk fails. Their window is small, so that old games are dropped.
const diskIterations = 4

func diskRun(ctx context.Context, dir string, tell func(iteration int), warn func(error)) error {
	cfg := tinyConfig()
	cfg.Train.Iterations, cfg.Train.GamesPerIteration, cfg.Train.BatchSize, cfg.Train.Keep = diskIterations, 4, 8, 2
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

// goOn ends the run in a directory, which a failure has left behind, and compares it with one that nothing has disturbed.
func goOn(t *testing.T, whole, dir string, warn func(error)) {
	t.Helper()
	if err := diskRun(t.Context(), dir, func(int) {}, warn); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*.safetensors", "state/*.safetensors", "latest"} {
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
	if v, err := VerifyRun(t.Context(), dir); err != nil || len(v.Problems) > 0 {
		t.Errorf("%+v, %v", v, err)
	}
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
	count := 20
	if *acceptance {
		count = 200
	} else if testing.Short() {
		count = 3
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
			goOn(t, whole, dir, func(err error) {
				if strings.Contains(err.Error(), "lost") {
					t.Error(err)
				}
			})
		})
	}
}

// Whichever call fails, and from whichever on the disk is full, the run ends with an error that says why, or does without; and goes on
// afterwards, to the same bytes.
func TestFailingDisk(t *testing.T) {
	total := 0
	whole, stderr, err := watchTraining(t, func(c disktest.Call) disktest.Verdict {
		if c.Kind != disktest.Print {
			total++
		}
		return 0
	})
	if err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	t.Logf("%d calls", total)
	step := total/8 + 1
	if *acceptance {
		step = 1
	} else if testing.Short() {
		step = total/2 + 1
	}
	for name, fault := range map[string]struct {
		errno syscall.Errno
		full  bool // from the n-th call on all that take room fail, not the n-th alone
	}{"EIO": {syscall.EIO, false}, "ENOSPC": {syscall.ENOSPC, true}} {
		for n := 1; n <= total; n += step {
			t.Run(fmt.Sprintf("%s %d", name, n), func(t *testing.T) {
				t.Parallel()
				count, failed := 0, disktest.Call{}
				dir, stderr, err := watchTraining(t, func(c disktest.Call) disktest.Verdict {
					if c.Kind == disktest.Print {
						return 0
					}
					count++
					takesRoom := c.Kind == disktest.Write || c.Kind == disktest.Create || c.Kind == disktest.Mkdir || c.Kind == disktest.Truncate && c.Offset == 0
					if count == n && !fault.full || count >= n && fault.full && takesRoom {
						failed = c
						return fault.errno
					}
					return 0
				})
				t.Logf("%s %s: %v %s", failed.Kind, failed.Path, err, stderr)
				why := strings.Contains(stderr, fault.errno.Error()) || strings.Contains(stderr, "is not writable") // as the log's server says
				if err != nil && (err.Error() != "exit status 1" || !why) {
					t.Errorf("after %s of %s it ended with %v, which does not say why:\n%s", failed.Kind, failed.Path, err, stderr)
				}
				goOn(t, whole, dir, func(err error) { t.Log(err) }) // perhaps of a game that was not acknowledged
			})
		}
	}
}
