package cluster

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/cluster/natslog"
	"tengen/internal/frame"
	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/replay/logtest"
)

func mustOpenSpool(t *testing.T, dir string, limit int) *spool {
	t.Helper()
	s, err := openSpool(dir, "host", limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close() })
	return s
}

// games are some with these numbers.
func games(numbers ...uint64) (list []*replay.Record) {
	for _, n := range numbers {
		list = append(list, logtest.Game(n, 5))
	}
	return list
}

// A spool that is opened again has the same name, the unsent games in their order, and no number twice, even if the process
// ended without a word.
func TestSpoolGoesOn(t *testing.T) {
	dir := t.TempDir()
	used := map[uint64]bool{}
	name := ""
	kept := 0
	for range 3 {
		s := mustOpenSpool(t, dir, 10)
		if name == "" {
			name = s.identity.Worker
		}
		if s.identity.Worker != name || !strings.HasPrefix(name, "host-") {
			t.Errorf("the worker's name is %q, it was %q", s.identity.Worker, name)
		}
		if err := s.join("run"); err != nil {
			t.Fatal(err)
		}
		if len(s.pending) != kept || s.unsent.Load() != int64(kept) {
			t.Errorf("%d games are pending, %d unsent; want %d", len(s.pending), s.unsent.Load(), kept)
		}
		for i := range numbersAtOnce + 10 {
			number, err := s.number()
			if err != nil {
				t.Fatal(err)
			}
			if used[number] {
				t.Fatalf("number %d comes twice", number)
			}
			used[number] = true
			if i%400 == 0 {
				if err := s.put(t.Context(), games(number)); err != nil {
					t.Fatal(err)
				}
				kept++
			}
		}
		s.close()
	}
	s := mustOpenSpool(t, dir, 10)
	for before := uint64(0); len(s.pending) > 0; {
		kept := <-s.pending
		g, err := s.get(kept)
		if err != nil || !reflect.DeepEqual(g, logtest.Game(g.Number, 5)) {
			t.Fatalf("%+v: %v, %v", kept, g, err)
		}
		if g.Number < before {
			t.Errorf("game %d comes after game %d", g.Number, before)
		}
		before = g.Number
		if err := s.remove(kept); err != nil {
			t.Error(err)
		}
	}
	if s.unsent.Load() != 0 {
		t.Errorf("%d games are unsent", s.unsent.Load())
	}
	s.close()
	if s := mustOpenSpool(t, dir, 10); len(s.pending) > 0 {
		t.Error("sent games are there again")
	}
}

// A full spool makes the worker wait, and still keeps the game.
func TestSpoolFull(t *testing.T) {
	s := mustOpenSpool(t, t.TempDir(), 1)
	if err := s.put(t.Context(), games(0)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.put(ctx, games(1)); err != nil {
		t.Error(err)
	}
	s.close()
	if s := mustOpenSpool(t, s.dir, 1); len(s.pending) != 2 {
		t.Errorf("%d games are pending, want 2", len(s.pending))
	}
}

// later makes a message that natslog.Encode has made one of a later version of the program.
func later(message []byte) []byte {
	message[0] = 99
	return frame.Seal(message[:len(message)-frame.SumSize])
}

// A game that a later version of the program has kept stays in the spool, and the worker ends and says so.
func TestSpoolOfALaterVersion(t *testing.T) {
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	c := startCoordinator(t, conn, CoordinatorConfig{})
	cfg := workerConfig(t.TempDir())
	cfg.Report = func(err error) { t.Error(err) }
	w, err := NewWorker(t.Context(), conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.spool.put(t.Context(), games(7)); err != nil {
		t.Fatal(err)
	}
	file := w.spool.path("000000000007.game")
	message, err := natslog.Encode(w.Name(), logtest.Game(7, 5))
	if err != nil {
		t.Fatal(err)
	}
	content := pack([][]byte{later(message)})
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
	err = w.Run(t.Context())
	if !errors.Is(err, replay.ErrVersion) {
		t.Errorf("the worker ends with %v", err)
	}
	wantError(t, err, file+": cannot read the message: it has version 99, ")
	w.Close()
	if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, content) {
		t.Errorf("the spool has %x, %v", kept, err)
	}
	if last, err := c.log.Last(t.Context()); last != 0 || err != nil {
		t.Errorf("the log has %d entries, %v", last, err)
	}
}

// A game that an earlier version of the program has kept is sent, as any other, whether it lies in a batch or alone.
func TestSpoolOfAnEarlierVersion(t *testing.T) {
	fulltest.Only(t)
	message, err := os.ReadFile("testdata/unsent-1.game")
	if err != nil {
		t.Fatal(err)
	}
	worker, g, err := natslog.Decode(message)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"testdata/unsent-1.game", "testdata/batch-1.game"} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		conn := connect(t, startServer(t, natslog.ServerConfig{}))
		c := startCoordinator(t, conn, CoordinatorConfig{})
		cfg := workerConfig(t.TempDir())
		if err := os.WriteFile(filepath.Join(cfg.Spool, batchName(g.Number)), content, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(cfg.Spool, identityFile), []byte(`{"worker":"host-1","run":"id","next":1000}`), 0o644); err != nil {
			t.Fatal(err)
		}
		startWorker(t, conn, cfg)
		err = c.log.Follow(t.Context(), 0, func(e replay.Entry) error {
			if e.Worker != worker || !reflect.DeepEqual(e.Game, g) {
				t.Errorf("%s: the log has %+v of worker %q, want\n%+v of %q", file, e.Game, e.Worker, g, worker)
			}
			return errEnough
		})
		if !errors.Is(err, errEnough) {
			t.Error(err)
		}
	}
}

// damage changes a bit in the middle of a file.
func damage(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSpoolErrors(t *testing.T) {
	dir := t.TempDir()
	s := mustOpenSpool(t, dir, 10)
	_, err := openSpool(dir, "host", 10)
	wantError(t, err, "another process uses")
	if err := s.join("one"); err != nil {
		t.Fatal(err)
	}
	if err := s.put(t.Context(), games(7)); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.join("other"), "holds 1 games that another run has not got yet")
	foreign, err := natslog.Encode("other", logtest.Game(8, 5))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path("000000000008.game"), foreign, 0o644); err != nil {
		t.Fatal(err)
	}
	s.close()
	s = mustOpenSpool(t, dir, 10)
	damage(t, s.path("000000000007.game")) // after it was opened
	for _, want := range []string{"its checksum does not match", "it is a game of worker other"} {
		kept := <-s.pending
		_, err := s.get(kept)
		if !errors.Is(err, replay.ErrDamaged) {
			t.Errorf("error %v, want that of a damaged game", err)
		}
		wantError(t, err, "an unsent game is set aside in "+kept.batch.file+".damaged: ")
		wantError(t, err, want)
		if _, err := os.Stat(kept.batch.file + ".damaged"); err != nil {
			t.Error(err)
		}
	}
	if err := s.join("other"); err != nil {
		t.Errorf("a damaged game counts as unsent: %v", err)
	}
	s.close()
	for _, identity := range []string{"{", `{"worker":"a b"}`} {
		if err := os.WriteFile(filepath.Join(dir, identityFile), []byte(identity), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err = openSpool(dir, "host", 10)
		wantError(t, err, "remove it, and the worker gets a new name")
	}
}

// Every host can name its worker.
func TestNewName(t *testing.T) {
	for _, host := range []string{"", "host.example.org", "Zürich 1", strings.Repeat("long", 30)} {
		if name := newName(host); natslog.CheckWorker(name) != nil {
			t.Errorf("host %q gets the worker's name %q", host, name)
		}
	}
	if name := newName("host.example.org"); !strings.HasPrefix(name, "host.example.org-") {
		t.Errorf("the worker's name is %q", name)
	}
}
