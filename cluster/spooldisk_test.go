package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tengen/internal/disktest"
	"tengen/internal/random"
	"tengen/replay"
	"tengen/replay/logtest"
)

// keepAndSend puts games into a spool and takes some of them out, and prints what it has done. It does again what fails.
func keepAndSend() error {
	s, err := openSpool(os.Getenv("TENGEN_DIR"), "host", 1000)
	if err != nil {
		return err
	}
	ctx := context.Background()
	for round := range 12 {
		var numbers []uint64
		for range round%4 + 1 {
			number, err := s.number()
			for err != nil {
				number, err = s.number()
			}
			numbers = append(numbers, number)
		}
		for s.put(ctx, games(numbers...)) != nil {
			fmt.Println("full")
		}
		fmt.Println("kept", strings.Trim(fmt.Sprint(numbers), "[]"))
		for range round % 3 {
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
	}
	return s.close()
}

// watchSpool runs keepAndSend in a folder, and returns its calls.
func watchSpool(t *testing.T, dir string, judge func(i int, c disktest.Call) disktest.Verdict) (calls []disktest.Call) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := disktest.Run(t, dir, []string{self}, []string{"TENGEN_CHILD=spool", "TENGEN_DIR=" + dir}, func(c disktest.Call) disktest.Verdict {
		verdict := judge(len(calls), c)
		if verdict == 0 {
			calls = append(calls, c)
		}
		return verdict
	})
	if err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	return calls
}

// checkSpool checks that a spool has the games that were kept by some calls and not sent, as they were, and no trace of others.
func checkSpool(t *testing.T, dir string, calls []disktest.Call) {
	t.Helper()
	wanted := map[uint64]bool{}
	next := uint64(0)
	for _, c := range calls {
		words := strings.Fields(string(c.Data))
		if c.Kind != disktest.Print || len(words) < 2 {
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
	if number, err := s.number(); number < next || err != nil {
		t.Errorf("number %d comes again, %v", number, err)
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
}

func happens(int, disktest.Call) disktest.Verdict { return 0 }

// Whenever a worker is killed, its spool has what was finished, and nothing half written.
func TestKilledSpool(t *testing.T) {
	t.Parallel()
	calls := watchSpool(t, t.TempDir(), happens)
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
	calls := watchSpool(t, t.TempDir(), happens)
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

// A disk that is full at any call spoils nothing: the games are refused, and kept when there is room.
func TestSpoolOnAFullDisk(t *testing.T) {
	t.Parallel()
	all := watchSpool(t, t.TempDir(), happens)
	first := slices.IndexFunc(all, func(c disktest.Call) bool { return c.Kind == disktest.Print }) // until then it opens
	step := max(1, len(all)/rounds(8, len(all)))
	for at := first; at < len(all); at += step {
		if kind := all[at].Kind; kind == disktest.Print || kind == disktest.Remove {
			continue
		}
		dir, failed := t.TempDir(), false
		calls := watchSpool(t, dir, func(i int, c disktest.Call) disktest.Verdict {
			if i != at || failed || c.Kind == disktest.Print {
				return 0
			}
			failed = true
			return syscall.ENOSPC
		})
		checkSpool(t, dir, calls)
	}
}

// Nor does a real one, which takes a part of what is written.
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
