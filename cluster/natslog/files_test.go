package natslog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/replay/logtest"
)

// filesOf lists what the files of a server's folder hold after a sequence number.
func filesOf(t *testing.T, dir string, after uint64) (entries []replay.Entry) {
	t.Helper()
	f, err := OpenFiles(dir, "run")
	if err != nil {
		t.Fatal(err)
	}
	err = f.Read(t.Context(), after, func(e replay.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(entries); n > 0 && entries[n-1].Sequence != f.Last() {
		t.Errorf("the last one is %d, not %d", entries[n-1].Sequence, f.Last())
	}
	return entries
}

// While a server is at work, its files tell the same as the log.
func TestFiles(t *testing.T) {
	t.Parallel()
	const games = 60
	dir := t.TempDir()
	l := openLog(t, connect(t, startServer(t, ServerConfig{Dir: dir})), LogConfig{})
	if got := filesOf(t, dir, 0); len(got) > 0 {
		t.Errorf("%d games in an empty log", len(got))
	}
	for i := range games {
		if _, err := l.Append(t.Context(), "w", logtest.Game(uint64(i), damagedMoves)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, keep := range []int{games, 55, 5} {
		if err := l.Retain(t.Context(), keep*damagedMoves); err != nil {
			t.Fatal(err)
		}
		for _, after := range []uint64{0, 7, games - 3, games, games + 9} {
			if got, want := filesOf(t, dir, after), logtest.Entries(t, l, after); !reflect.DeepEqual(got, want) {
				t.Errorf("%d kept: %d entries after %d, want %d", keep, len(got), after, len(want))
			}
		}
	}
}

// A server begins a new block when one is full.
func TestFilesInBlocks(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	const games, perBlock = 30, 3 // so that block 10 comes after block 9
	_, dir := filledStores(t, games)
	folder := filepath.Join(dir, "jetstream", "$G", "streams", "games-run", "msgs")
	first := block{filepath.Join(folder, "1.blk"), "games-run", 1}
	rest, err := os.ReadFile(first.path)
	if err != nil {
		t.Fatal(err)
	}
	for number := uint64(1); len(rest) > 0; number++ {
		b := block{filepath.Join(folder, fmt.Sprintf("%d.blk", number)), "games-run", number}
		var content []byte
		for range perBlock {
			r, n := parseRecord(rest)
			h := b.hash()
			h.Write(rest[4:20])
			h.Write([]byte(r.subject))
			h.Write(rest[recordHead+len(r.subject)+4 : n-recordHash]) // headers, for these are games, and payload
			content = binary.LittleEndian.AppendUint64(append(content, rest[:n-recordHash]...), h.Sum64())
			rest = rest[n:]
		}
		if err := os.WriteFile(b.path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for after := range uint64(games + 2) {
		entries := filesOf(t, dir, after)
		if want := max(games-int(after), 0); len(entries) != want {
			t.Errorf("%d entries after %d, want %d", len(entries), after, want)
		}
		for i, e := range entries {
			if e.Err != nil || e.Sequence != after+1+uint64(i) || !reflect.DeepEqual(e.Game, logtest.Game(e.Sequence-1, damagedMoves)) {
				t.Errorf("after %d: %+v", after, e)
			}
		}
	}
}

// appendWhile appends games, and calls drop after each, in the background, until the context that it returns ends.
func appendWhile(t *testing.T, l *Log, games int, drop func() error) context.Context {
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer stop()
		for i := range games {
			_, err := l.Append(ctx, "w", logtest.Game(uint64(i), damagedMoves))
			if err = errors.Join(err, drop()); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	return ctx
}

// Whoever looks on sees whole games, in order, whatever the server is about to write or to drop.
func TestFilesLookOn(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	const games, keep = 80, 30
	dir := t.TempDir()
	l := openLog(t, connect(t, startServer(t, ServerConfig{Dir: dir})), LogConfig{})
	ctx := appendWhile(t, l, games, func() error { return l.Retain(t.Context(), keep*damagedMoves) })
	last := uint64(0)
	for ctx.Err() == nil {
		for i, e := range filesOf(t, dir, 0) {
			if i > 0 && e.Sequence <= last || e.Err != nil || !reflect.DeepEqual(e.Game, logtest.Game(e.Sequence-1, damagedMoves)) {
				t.Fatalf("after %d: %+v", last, e)
			}
			last = e.Sequence
		}
	}
	if got := filesOf(t, dir, 0); len(got) != keep || got[keep-1].Sequence != games {
		t.Errorf("%d games at the end", len(got))
	}
}

// What a file has lost is reported, the rest is there.
func TestFilesDamaged(t *testing.T) {
	t.Parallel()
	const games = 20
	_, dir := filledStores(t, games)
	block := filepath.Join(dir, "jetstream", "$G", "streams", "games-run", "msgs", "1.blk")
	content, err := os.ReadFile(block)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func([]byte) []byte
		lost  int
	}{
		"nothing":      {func(b []byte) []byte { return b }, 0},
		"a bit":        {func(b []byte) []byte { b[len(b)/2] ^= 4; return b }, 1},
		"the first":    {func(b []byte) []byte { b[5] ^= 4; return b }, 1},
		"the end":      {func(b []byte) []byte { return b[:len(b)-1] }, 1},
		"all":          {func([]byte) []byte { return nil }, games},
		"other things": {func(b []byte) []byte { return append([]byte("?"), b...) }, 0},
	} {
		if err := os.WriteFile(block, c.spoil(append([]byte{}, content...)), 0o644); err != nil {
			t.Fatal(err)
		}
		lost := 0
		for i, e := range filesOf(t, dir, 0) {
			switch {
			case e.Sequence != uint64(i+1):
				t.Errorf("%s: entry %d has sequence number %d", name, i+1, e.Sequence)
			case errors.Is(e.Err, replay.ErrMissing):
				lost++
			case e.Err != nil || !reflect.DeepEqual(e.Game, logtest.Game(uint64(i), damagedMoves)):
				t.Errorf("%s: entry %d: %v", name, i+1, e.Err)
			}
		}
		if lost != c.lost {
			t.Errorf("%s: %d games lost, want %d", name, lost, c.lost)
		}
	}
	if err := os.WriteFile(block, []byte("cmp"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFiles(dir, "run")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Read(t.Context(), 0, func(replay.Entry) error { return nil }); err == nil {
		t.Error("a compressed block was read")
	}
	if _, err := OpenFiles(filepath.Join(dir, "none"), "run"); err == nil {
		t.Error("there is no such folder")
	}
}
