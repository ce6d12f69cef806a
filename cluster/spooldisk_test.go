package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/internal/atomicfile"
	"tengen/internal/disktest"
	"tengen/replay/logtest"
)

// fillSpool does with a spool what a worker does, in a process of its own, and prints what is certain. Where no number comes, it asks
// once more, as another of a worker's goroutines may.
func fillSpool(dir string) (err error) {
	s, err := openSpool(dir, "host", 10)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.join("run"); err != nil {
		return err
	}
	fmt.Println("worker", s.identity.Worker)
	number := func() (uint64, error) {
		number, failed := s.number()
		if failed != nil {
			var again error
			if number, again = s.number(); again != nil {
				return 0, errors.Join(failed, again)
			}
			err = errors.Join(err, failed)
		}
		return number, nil
	}
	for i := range numbersAtOnce + 2 {
		n, failed := number()
		if failed != nil {
			return failed
		}
		if i > 1 && i < numbersAtOnce {
			continue // its game was never finished
		}
		fmt.Println("number", n)
		if err := s.put(context.Background(), logtest.Game(n, 5)); err != nil {
			return err
		}
		fmt.Println("kept", n)
		if i > 0 {
			continue
		}
		fmt.Println("sent", n)
		if err := s.remove(n); err != nil {
			return err
		}
	}
	return err
}

// Wherever a worker's disk fails, it ends with an error that names the file, has lost no game that it had kept, and uses no number twice
// when it goes on.
func TestSpoolFailingDisk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, judge func(disktest.Call) disktest.Verdict) (dir, printed, stderr string, err error) {
		dir = t.TempDir()
		stderr, err = disktest.Run(t, dir, []string{self}, []string{"TENGEN_CHILD=spool", "TENGEN_DIR=" + dir}, func(c disktest.Call) disktest.Verdict {
			if c.Kind == disktest.Print {
				printed += string(c.Data)
			}
			return judge(c)
		})
		return dir, printed, stderr, err
	}
	disktest.Each(t, rounds(3, 0), func(judge func(disktest.Call) disktest.Verdict) {
		if dir, printed, stderr, err := run(t, judge); err != nil || stderr != "" {
			t.Error(err, stderr)
		} else {
			checkSpool(t, dir, printed)
		}
	}, func(t *testing.T, i *disktest.Injector) {
		dir, printed, stderr, err := run(t, i.Judge)
		if failed := i.Check(dir, stderr, err); failed != nil {
			t.Error(failed)
		}
		checkSpool(t, dir, printed)
	})
}

// checkSpool opens a spool that fillSpool has left, and compares it with what that has printed.
func checkSpool(t *testing.T, dir, printed string) {
	t.Helper()
	worker, used, kept := "", uint64(0), map[uint64]bool{}
	for line := range strings.Lines(printed) {
		what, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if what == "worker" {
			worker = value
			continue
		}
		var n uint64
		if _, err := fmt.Sscan(value, &n); err != nil {
			t.Fatal(err)
		}
		used = max(used, n+1)
		kept[n] = what == "kept"
	}
	s := mustOpenSpool(t, dir, 10)
	if worker != "" && s.identity.Worker != worker {
		t.Errorf("the worker's name is %q, it was %q", s.identity.Worker, worker)
	}
	for range len(s.pending) {
		n := <-s.pending
		if g, err := s.get(n); err != nil || !reflect.DeepEqual(g, logtest.Game(n, 5)) {
			t.Errorf("game %d: %v, %v", n, g, err)
		}
		delete(kept, n)
	}
	for n, lost := range kept {
		if lost {
			t.Errorf("game %d was kept, and is lost", n)
		}
	}
	if err := s.join("run"); err != nil {
		t.Error(err)
	}
	if n, err := s.number(); err != nil || n < used {
		t.Errorf("game %d comes next, %v; the numbers before %d are used", n, err, used)
	} else if err := s.put(t.Context(), logtest.Game(n, 5)); err != nil {
		t.Error(err)
	}
	for _, pattern := range []string{atomicfile.TempPattern, "*.damaged"} {
		if left, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(left) > 0 {
			t.Errorf("files %v are left (%v)", left, err)
		}
	}
}
