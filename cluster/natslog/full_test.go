package natslog

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/replay/logtest"
)

// fillUp appends games until the log refuses one, and returns how many it took and its error.
func fillUp(t *testing.T, l *Log) (n int, err error) {
	t.Helper()
	for ; n < 20_000; n++ {
		if _, err := l.Append(t.Context(), "w", logtest.Game(uint64(n), 25)); err != nil {
			return n, err
		}
	}
	t.Fatalf("%d games and never full", n)
	return n, nil
}

// wantGames checks that the log holds games from up to to, and nothing else.
func wantGames(t *testing.T, l *Log, from, to int) {
	t.Helper()
	entries := logtest.Entries(t, l, 0)
	if len(entries) != to-from {
		t.Errorf("%d entries, want %d", len(entries), to-from)
	}
	for i, e := range entries {
		if e.Err != nil || e.Game.Number != uint64(from+i) {
			t.Fatalf("%+v, want game %d", e, from+i)
		}
	}
}

// A log or a server that has reached its limit says so, keeps what it has, and goes on when there is room again.
func TestFull(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	for name, c := range map[string]struct {
		server ServerConfig
		log    LogConfig
	}{
		"log":    {log: LogConfig{MaxBytes: 100_000}},
		"server": {server: ServerConfig{MaxDisk: 100_000}},
	} {
		t.Run(name, func(t *testing.T) {
			l := openLog(t, connect(t, startServer(t, c.server)), c.log)
			n, err := fillUp(t, l)
			wantError(t, err, "drop old games")
			wantGames(t, l, 0, n)
			if err := l.Flush(t.Context()); err != nil {
				t.Errorf("a run on it cannot go on: %v", err)
			}
			l = openLog(t, l.js.Conn(), LogConfig{})
			wantGames(t, l, 0, n)
			if err := l.Retain(t.Context(), 25*10); err != nil {
				t.Fatal(err)
			}
			wantGames(t, l, n-10, n)
			if _, err := l.Append(t.Context(), "w", logtest.Game(uint64(n), 25)); err != nil {
				t.Error(err)
			}
			wantGames(t, l, n-10, n+1)
			if err := l.Flush(t.Context()); err != nil {
				t.Error(err)
			}
			if got, err := l.watermark.read(t.Context()); err != nil || got != (span{uint64(n - 9), uint64(n + 1)}) {
				t.Errorf("the watermark is %v of %d games, error %v", got, n+1, err)
			}
		})
	}
}

// A full disk makes Append fail; what was acknowledged is there after a restart with room.
func TestDiskFull(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tengen", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small disk: %v %s", err, out)
	}
	defer exec.Command("umount", dir).Run()
	s, err := StartServer(ServerConfig{Dir: dir, Report: func(m string) { t.Log(m) }})
	if err != nil {
		t.Fatal(err)
	}
	l := openLog(t, connect(t, s), LogConfig{Patience: 1})
	n, err := fillUp(t, l)
	t.Log(err)
	wantError(t, err, "disk")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	moved := t.TempDir() // to a bigger disk
	if err := os.CopyFS(filepath.Join(moved, "run"), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	l = openLog(t, connect(t, startServer(t, ServerConfig{Dir: filepath.Join(moved, "run")})), LogConfig{})
	sequence, err := l.Append(t.Context(), "w", logtest.Game(uint64(n), 25)) // perhaps it had been written
	if err != nil || sequence != uint64(n+1) {
		t.Errorf("game %d appended as %d, error %v", n, sequence, err)
	}
	wantGames(t, l, 0, n+1)
	if err := l.Close(); err != nil && !errors.Is(err, replay.ErrClosed) {
		t.Error(err)
	}
}
