package natslog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/fulltest"
)

// gamesBlock is the only block of games in a small store.
func gamesBlock(dir string) block {
	return block{filepath.Join(dir, "jetstream", "$G", "streams", "games-run", "msgs", "1.blk"), "games-run", 1}
}

// spoil changes the content of a file, and returns what it was.
func spoil(t *testing.T, path string, change func(content []byte) []byte) (before []byte) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(bytes.Clone(before)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return before
}

// flipRecords returns a change that spoils a byte in each of the first n records of a block.
func flipRecords(n int) func([]byte) []byte {
	return func(content []byte) []byte {
		for at := 0; n > 0; n-- {
			length := int(binary.LittleEndian.Uint32(content[at:]) &^ headersFlag)
			content[at+length/2] ^= 1
			at += length
		}
		return content
	}
}

// filesBelow are the contents of all files in a folder, but the lock.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "lock" {
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// What a repair takes out of a block is kept beside it, and the block keeps its mode.
func TestRepairKeepsWhatItTakesOut(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	_, dir := filledStores(t, 40)
	path := gamesBlock(dir).path
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	var bad []byte
	before := spoil(t, path, func(content []byte) []byte {
		first := goodRecord(content, gamesBlock(dir).hash())
		content = flipRecords(1)(content)
		bad = bytes.Clone(content[:first])
		return content
	})
	if lost := accountFor(t, dir, 40); lost != 1 {
		t.Errorf("%d games lost, want 1", lost)
	}
	kept, err := filepath.Glob(path + ".removed-*Z")
	if err != nil || len(kept) != 1 {
		t.Fatalf("%q is beside the block (%v), want one file", kept, err)
	}
	if content, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(content, bad) {
		t.Errorf("%d bytes are kept, want the %d that were taken out (%v)", len(content), len(bad), err)
	}
	if content, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(content, before[len(bad):]) {
		t.Errorf("the rest of the block has changed (%v)", err)
	}
	for _, name := range append(kept, path) {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s has mode %v (%v), want 0640", name, info.Mode(), err)
		}
	}
	if lost := accountFor(t, dir, 41); lost != 1 {
		t.Errorf("the second time %d games are lost, want 1", lost)
	}
}

// A store of which much cannot be read is refused, and nothing of it is changed, until somebody insists.
func TestRepairRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		games  int
		change func([]byte) []byte
		large  bool
	}{
		"few":                {40, flipRecords(3), false},
		"too many of few":    {40, flipRecords(4), true},
		"few of many":        {700, flipRecords(6), false},
		"many":               {700, flipRecords(20), true},
		"all":                {2, flipRecords(2), false}, // as few as a disk spoils
		"a torn tail":        {40, func(b []byte) []byte { return b[:len(b)-7] }, false},
		"a torn beginning":   {1, func(b []byte) []byte { return b[:len(b)-7] }, false},
		"half of it is gone": {40, func(b []byte) []byte { return b[:len(b)/2] }, false}, // which no repair can take out
		"zeros":              {40, func(b []byte) []byte { return make([]byte, len(b)) }, false},
		"holes": {40, func(b []byte) []byte { // every other page of a long write did not arrive
			for at := len(b) / 2 / 4096 * 4096; at < len(b); at += 8192 {
				copy(b[at:min(at+4096, len(b))], make([]byte, 4096))
			}
			return b
		}, false},
		"another layout": {40, func(b []byte) []byte { // in which the hash is another one
			for at := 0; at < len(b); {
				at += int(binary.LittleEndian.Uint32(b[at:]) &^ headersFlag)
				b[at-1] ^= 0xff
			}
			return b
		}, true},
		"another file": {40, func(b []byte) []byte { return bytes.Repeat([]byte("something else "), len(b)/15) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, dir := filledStores(t, c.games)
			sound := spoil(t, gamesBlock(dir).path, c.change)
			before := filesBelow(t, dir)
			s, err := StartServer(ServerConfig{Dir: dir})
			if !c.large {
				if err != nil {
					t.Fatal(err)
				}
				s.Close()
				return
			}
			if !errors.Is(err, ErrManyUnreadable) || !strings.Contains(err.Error(), gamesBlock(dir).path) {
				t.Fatalf("error %v, want one that names the file", err)
			}
			if !maps.Equal(before, filesBelow(t, dir)) {
				t.Error("files were changed")
			}
			if err := Repair(dir, false, func(m string) { t.Error(m) }); !errors.Is(err, ErrManyUnreadable) {
				t.Error(err)
			}
			if err := Repair(dir, true, func(string) {}); err != nil {
				t.Fatal(err)
			}
			taken := 0
			for name, content := range filesBelow(t, dir) {
				if strings.HasPrefix(name, gamesBlock(dir).path) {
					taken += len(content)
				}
			}
			if taken < len(sound)-15 {
				t.Errorf("%d of %d bytes are left", taken, len(sound))
			}
			accountFor(t, dir, c.games)
		})
	}
}

// A folder says in which layout its files are. A later one is refused before anything is read; where a program
// wrote that did not say it, and where the file is damaged, it is the first.
func TestLayout(t *testing.T) {
	t.Parallel()
	closed, _ := filledStores(t, 5)
	name := filepath.Join(closed, layoutFile)
	written := spoil(t, name, func([]byte) []byte { return []byte(layoutText(layoutNumber+1, "9.9.9")) })
	spoil(t, gamesBlock(closed).path, flipRecords(1))
	before := filesBelow(t, closed)
	_, err := StartServer(ServerConfig{Dir: closed})
	if !errors.Is(err, ErrLayout) || !strings.Contains(err.Error(), "layout 2, of nats-server 9.9.9, this program knows up to 1") {
		t.Fatalf("error %v, want one that says which layout it is", err)
	}
	if _, err := OpenFiles(closed, "run"); !errors.Is(err, ErrLayout) {
		t.Errorf("looking on: error %v", err)
	}
	if err := Repair(closed, true, func(m string) { t.Error(m) }); !errors.Is(err, ErrLayout) {
		t.Errorf("a forced repair: error %v", err)
	}
	if !maps.Equal(before, filesBelow(t, closed)) {
		t.Error("files were changed")
	}
	for _, content := range []string{"", "layout 7 nats-server 9.9.9 00000000\n", "absent"} {
		spoil(t, name, func([]byte) []byte { return []byte(content) })
		if content == "absent" {
			os.Remove(name)
		}
		startServer(t, ServerConfig{Dir: closed}).Close()
		if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, written) {
			t.Errorf("after %q the file holds %q (%v)", content, now, err)
		}
	}
}
