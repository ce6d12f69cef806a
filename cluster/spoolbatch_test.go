package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tengen/cluster/natslog"
	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/replay/logtest"
)

// takeAll takes what is pending, and returns the numbers of the games, in order, and the errors.
func takeAll(t *testing.T, s *spool) (numbers []uint64, errs []error) {
	t.Helper()
	for len(s.pending) > 0 {
		kept := <-s.pending
		g, err := s.get(kept)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		numbers = append(numbers, g.Number)
		if err := s.remove(kept); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(numbers)
	return numbers, errs
}

// filesIn lists the files of a folder, but for those that a spool always has.
func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != identityFile && e.Name() != "lock" {
			names = append(names, e.Name())
		}
	}
	return names
}

// Games that come together are one file, which stays until all of them have been sent, also over an end of the process.
func TestBatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool[1]") // nothing but a name
	s := mustOpenSpool(t, dir, 10)
	if err := s.put(t.Context(), games(5, 2, 3)); err != nil {
		t.Fatal(err)
	}
	if files := filesIn(t, dir); !slices.Equal(files, []string{"000000000005.game"}) {
		t.Errorf("the spool has the files %q", files)
	}
	if g, err := s.get(<-s.pending); err != nil || g.Number != 5 {
		t.Errorf("the first game is %v, %v", g, err)
	}
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	s.close()

	s = mustOpenSpool(t, dir, 1) // there are more games than wait in it otherwise
	if number, err := s.number(); number != 6 || err != nil {
		t.Errorf("the next number is %d, %v", number, err)
	}
	for left := 3; left > 0; left-- {
		if s.unsent.Load() != int64(left) || len(filesIn(t, dir)) != 1 {
			t.Errorf("%d games are unsent, want %d, in %q", s.unsent.Load(), left, filesIn(t, dir))
		}
		if err := s.remove(<-s.pending); err != nil {
			t.Error(err)
		}
	}
	if files := filesIn(t, dir); s.unsent.Load() != 0 || len(files) > 0 {
		t.Errorf("%d games are unsent, in %q", s.unsent.Load(), files)
	}
}

// Wherever a batch ends too soon or has changed, the games that are whole are sent, and what is lost is told.
func TestDamagedBatch(t *testing.T) {
	fulltest.Only(t)
	dir := t.TempDir()
	s := mustOpenSpool(t, dir, 10)
	if err := s.put(t.Context(), games(1, 2, 3)); err != nil {
		t.Fatal(err)
	}
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	s.close()
	file := filepath.Join(dir, "000000000003.game")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := unpack(whole)
	check := func(name string, content []byte, want int) {
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
		s := mustOpenSpool(t, dir, 10)
		defer s.close()
		numbers, errs := takeAll(t, s)
		if len(numbers) != want || len(errs) != 1 || !errors.Is(errs[0], replay.ErrDamaged) {
			t.Fatalf("%s: games %d and errors %q, want %d games and one error", name, numbers, errs, want)
		}
		if files := filesIn(t, dir); !slices.Equal(files, []string{"000000000003.game.damaged"}) || s.unsent.Load() != 0 {
			t.Fatalf("%s: %d games are unsent, the files are %q", name, s.unsent.Load(), files)
		}
		if aside, err := os.ReadFile(file + ".damaged"); err != nil || !slices.Equal(aside, content) {
			t.Fatalf("%s: what is set aside is another", name)
		}
	}
	ends := []int{0, 1, 2, len(whole) - 1}
	for _, m := range at {
		ends = append(ends, m.offset-1, m.offset, m.offset+1, m.offset+m.length/2, m.offset+m.length-1, m.offset+m.length)
	}
	for _, end := range ends {
		games := 0
		for _, m := range at {
			if m.offset+m.length <= end {
				games++
			}
		}
		check(fmt.Sprint("cut to ", end), whole[:end], games)
	}
	for i, m := range at {
		content := slices.Clone(whole)
		content[m.offset+m.length/2] ^= 1
		check(fmt.Sprint("game changed ", i), content, 2)
	}
	for name, i := range map[string]int{"checksum": len(whole) - 1, "length of the last": at[2].offset - 1, "mark": 0} {
		content := slices.Clone(whole)
		content[i] ^= 1
		check(name, content, map[string]int{"checksum": 3, "length of the last": 2}[name])
	}
}

// Programs before batches take one for a message of a later version: they leave it and say so.
func TestBatchForEarlierPrograms(t *testing.T) {
	message, err := natslog.Encode("w", logtest.Game(1, 5))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := natslog.Decode(pack([][]byte{message})); !errors.Is(err, replay.ErrVersion) {
		t.Errorf("error %v, want that of a later version", err)
	}
}

// At the limit the spool waits, until games are sent, and keeps what it has been given all the same.
func TestSpoolWaitsAtItsLimit(t *testing.T) {
	fulltest.Only(t)
	const limit = 10_000
	s := mustOpenSpool(t, t.TempDir(), limit)
	numbers := make([]uint64, limit)
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	if err := s.put(t.Context(), games(numbers...)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.put(t.Context(), games(limit, limit+1)) }()
	for s.unsent.Load() != limit+2 {
		if len(done) > 0 {
			t.Fatal("it does not wait")
		}
	}
	if len(done) > 0 {
		t.Error("it does not wait")
	}
	for range 2 {
		if err := s.remove(<-s.pending); err != nil {
			t.Error(err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	s.close()
	if s := mustOpenSpool(t, s.dir, limit); s.unsent.Load() != limit+2 { // those of a file stay until all are sent
		t.Errorf("%d games are unsent", s.unsent.Load())
	}
}

// What is finished while the disk is busy is written at once, in as few files as may be, and counts as played then.
func TestWorkerKeepsInBatches(t *testing.T) {
	s := mustOpenSpool(t, t.TempDir(), 10_000)
	w := &Worker{spool: s}
	finished := make(chan *replay.Record, 3*queueLength)
	for i := range uint64(2*queueLength + 1) {
		finished <- logtest.Game(i, 5)
	}
	close(finished)
	if err := w.keep(t.Context(), finished); err != nil {
		t.Fatal(err)
	}
	if files := filesIn(t, s.dir); len(files) != 3 {
		t.Errorf("the spool has the files %q, want 3", files)
	}
	if n := w.played.Load(); n != 2*queueLength+1 || s.unsent.Load() != n {
		t.Errorf("%d games are played and %d unsent", n, s.unsent.Load())
	}
}
