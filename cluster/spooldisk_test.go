package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/internal/disktest"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/replay"
	"tengen/replay/logtest"
)

// keepAndSend puts games into a spool and takes some of them out, as a worker does, in a process of its own, and prints what is
// certain. Where no number comes, it asks once more, as another of a worker's goroutines may.
func keepAndSend() (err error) {
	s, err := openSpool(os.Getenv("TENGEN_DIR"), "host", 1000)
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
		if failed == nil {
			return number, nil
		}
		number, again := s.number()
		if again != nil {
			return 0, errors.Join(failed, again)
		}
		err = errors.Join(err, failed)
		return number, nil
	}
	for range numbersAtOnce - 5 { // of games that were never finished, so that those below do not all come from the first numbers
		if _, err := number(); err != nil {
			return err
		}
	}
	for round := range 12 {
		var numbers []uint64
		for range round%4 + 1 {
			n, err := number()
			if err != nil {
				return err
			}
			numbers = append(numbers, n)
		}
		if err := s.put(context.Background(), games(numbers...)); err != nil {
			return err
		}
		fmt.Println("kept", strings.Trim(fmt.Sprint(numbers), "[]"))
		if err := send(s, round%3); err != nil {
			return err
		}
	}
	return err
}

// send takes n games out of a spool.
func send(s *spool, n int) error {
	for range n {
		kept := <-s.pending
		g, err := s.get(kept)
		if err != nil {
			return err
		}
		fmt.Println("sent", g.Number)
		if err := s.remove(kept); err != nil {
			return err
		}
	}
	return nil
}

// runSpool runs keepAndSend in a folder, and returns its calls that judge let pass.
func runSpool(t *testing.T, dir string, judge func(c disktest.Call) disktest.Verdict) (calls []disktest.Call, stderr string, err error) {
	t.Helper()
	fulltest.Only(t) // each call of a process of one goroutine is watched
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err = disktest.Run(t, dir, []string{self}, []string{"TENGEN_CHILD=spool", "TENGEN_DIR=" + dir}, func(c disktest.Call) disktest.Verdict {
		verdict := judge(c)
		if verdict == 0 {
			calls = append(calls, c)
		}
		return verdict
	})
	return calls, stderr, err
}

// watchSpool runs keepAndSend with a disk that does not fail, and returns its calls.
func watchSpool(t *testing.T) []disktest.Call {
	t.Helper()
	calls, stderr, err := runSpool(t, t.TempDir(), func(disktest.Call) disktest.Verdict { return 0 })
	if err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	return calls
}

// checkSpool checks that a spool has the name that its process printed, the games that were kept by its calls and not sent, as they
// were, and no trace of others, and that it goes on with new numbers.
func checkSpool(t *testing.T, dir string, calls []disktest.Call) {
	t.Helper()
	worker, wanted, next := "", map[uint64]bool{}, uint64(0)
	for _, c := range calls {
		words := strings.Fields(string(c.Data))
		switch {
		case c.Kind != disktest.Print || len(words) < 2:
			continue
		case words[0] == "worker":
			worker = words[1]
			continue
		}
		for _, word := range words[1:] {
			var number uint64
			if _, err := fmt.Sscan(word, &number); err != nil {
				t.Fatal(err)
			}
			wanted[number] = words[0] == "kept"
			next = max(next, number+1)
		}
	}
	s := mustOpenSpool(t, dir, 1000)
	defer s.close()
	if worker != "" && s.identity.Worker != worker {
		t.Errorf("the worker's name is %q, it was %q", s.identity.Worker, worker)
	}
	for len(s.pending) > 0 {
		kept := <-s.pending
		g, err := s.get(kept)
		if err != nil || !reflect.DeepEqual(g, logtest.Game(g.Number, 5)) {
			t.Fatalf("%+v: %v, %v", kept, g, err)
		}
		delete(wanted, g.Number)
		if err := s.remove(kept); err != nil {
			t.Error(err)
		}
	}
	for number, kept := range wanted {
		if kept {
			t.Errorf("game %d is lost", number)
		}
	}
	if files := filesIn(t, dir); len(files) > 0 {
		t.Errorf("in the end the spool has the files %q", files)
	}
	if number, err := s.number(); number < next || err != nil {
		t.Errorf("number %d comes again, %v", number, err)
	} else if err := s.put(t.Context(), games(number)); err != nil {
		t.Error(err)
	}
}

// Whenever a worker is killed, its spool has what was finished, and nothing half written.
func TestKilledSpool(t *testing.T) {
	t.Parallel()
	calls := watchSpool(t)
	for n := range len(calls) + 1 {
		var disk disktest.Disk
		for _, c := range calls[:n] {
			disk.Apply(c)
			for _, path := range []string{c.Path, c.To, "."} {
				if path != "" {
					disk.Apply(disktest.Call{Kind: disktest.Sync, Path: path})
				}
			}
		}
		checkSpool(t, lose(t, &disk, n), calls[:n])
	}
}

// Whenever the power goes, too, on any file system that keeps what was synced.
func TestSpoolPowerLoss(t *testing.T) {
	t.Parallel()
	calls := watchSpool(t)
	for round := range rounds(100, 2000) {
		var disk disktest.Disk
		n := round % (len(calls) + 1)
		for _, c := range calls[:n] {
			disk.Apply(c)
		}
		checkSpool(t, lose(t, &disk, round), calls[:n])
	}
}

// lose returns a folder as a disk has it after a loss of power.
func lose(t *testing.T, disk *disktest.Disk, seed int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "lost")
	if err := disk.Lose(random.New(5, random.Test, uint64(seed)), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Wherever a worker's disk fails, it ends with an error that names the file, has lost no game that it had kept, and uses no number twice
// when it goes on.
func TestSpoolFailingDisk(t *testing.T) {
	disktest.Each(t, rounds(3, 0), func(judge func(disktest.Call) disktest.Verdict) {
		dir := t.TempDir()
		calls, stderr, err := runSpool(t, dir, judge)
		if err != nil || stderr != "" {
			t.Error(err, stderr)
		}
		checkSpool(t, dir, calls)
	}, func(t *testing.T, i *disktest.Injector) {
		dir := t.TempDir()
		calls, stderr, err := runSpool(t, dir, i.Judge)
		if failed := i.Check(dir, stderr, err); failed != nil {
			t.Error(failed)
		}
		checkSpool(t, dir, calls)
	})
}

// A real disk that is full, after it has taken a part of what is written, spoils nothing either.
func TestSpoolFillsADisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tengen", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small disk: %v %s", err, out)
	}
	defer exec.Command("umount", dir).Run()
	s := mustOpenSpool(t, dir, 100_000)
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	batch := func(first uint64) []*replay.Record {
		var numbers []uint64
		for i := range uint64(100) {
			numbers = append(numbers, first+i)
		}
		return games(numbers...)
	}
	kept := uint64(0)
	for {
		err := s.put(t.Context(), batch(kept))
		if err != nil {
			wantError(t, err, "no space left on device")
			break
		}
		kept += 100
	}
	s.close()
	s = mustOpenSpool(t, dir, 100_000)
	defer s.close()
	if numbers, errs := takeAll(t, s); uint64(len(numbers)) != kept || kept == 0 || len(errs) > 0 {
		t.Errorf("%d games are there, %d were kept, errors %q", len(numbers), kept, errs)
	}
	if err := s.put(t.Context(), batch(kept)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
