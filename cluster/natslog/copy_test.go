package natslog

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/replay/logtest"
)

// While a server is at work, copies of its folder have every game that was acknowledged before, nothing that is half written, and
// nothing to repair.
func TestCopyFolder(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	const games, keep = 200, 60
	dir := t.TempDir()
	l := openLog(t, connect(t, startServer(t, ServerConfig{Dir: dir})), LogConfig{})
	drop := func() error { return Drop(dir, func() error { return l.Retain(t.Context(), keep*damagedMoves) }) }
	ctx := appendWhile(t, l, games, drop)
	for copies := 0; copies < 3 || ctx.Err() == nil; copies++ {
		hold, err := HoldGames(dir)
		if err != nil {
			t.Fatal(err)
		}
		before := filesOf(t, dir, 0)
		to := filepath.Join(t.TempDir(), "copy")
		if err := CopyFolder(t.Context(), dir, to); err != nil {
			t.Fatal(err)
		}
		if err := hold.Unlock(); err != nil {
			t.Fatal(err)
		}
		s := startServer(t, ServerConfig{Dir: to, Report: func(m string) { t.Error(m) }})
		copied := logtest.Entries(t, openLog(t, connect(t, s), LogConfig{}), 0)
		if len(copied) < len(before) || len(before) > 0 && !reflect.DeepEqual(copied[:len(before)], before) {
			t.Errorf("%d games are copied, want the %d that there were", len(copied), len(before))
		}
		for _, e := range copied {
			if e.Err != nil || !reflect.DeepEqual(e.Game, logtest.Game(e.Sequence-1, damagedMoves)) {
				t.Errorf("%+v", e)
			}
		}
		s.Close()
	}
	if err := drop(); err != nil {
		t.Fatal(err)
	}
	if n := len(logtest.Entries(t, l, 0)); n != keep {
		t.Errorf("%d games are kept when nobody holds them, want %d", n, keep)
	}
}

// A copy lacks a record that is just being written, and is damaged where the original is.
func TestCopyOfDamage(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	const games = 20
	for name, c := range map[string]struct {
		spoil func([]byte) []byte
		same  bool
	}{
		"nothing":   {func(b []byte) []byte { return b }, true},
		"a bit":     {func(b []byte) []byte { b[len(b)/2] ^= 4; return b }, true},
		"the end":   {func(b []byte) []byte { b[len(b)-1] ^= 4; return b }, true},
		"a record":  {func(b []byte) []byte { return append(b, b[:100]...) }, false},
		"few bytes": {func(b []byte) []byte { return append(b, b[:3]...) }, false},
	} {
		_, dir := filledStores(t, games)
		to := filepath.Join(t.TempDir(), "copy")
		sound := spoil(t, gamesBlock(dir).path, c.spoil)
		if err := CopyFolder(t.Context(), dir, to); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(gamesBlock(dir).path)
		if err != nil {
			t.Fatal(err)
		}
		if !c.same {
			want = sound
		}
		if got, err := os.ReadFile(gamesBlock(to).path); err != nil || string(got) != string(want) {
			t.Errorf("%s: %d bytes, want %d (%v)", name, len(got), len(want), err)
		}
		var lost []replay.Entry
		for _, e := range filesOf(t, to, 0) {
			if e.Err != nil {
				lost = append(lost, e)
			}
		}
		if len(lost) > 1 || !c.same && len(lost) > 0 {
			t.Errorf("%s: lost are %+v", name, lost)
		}
	}
}
