package natslog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/replay"
	"tengen/replay/logtest"
)

const damagedMoves = 25

// filledStores returns two folders of a server with the same games: one that was closed, and one as a kill leaves it.
func filledStores(t *testing.T, games int) (closed, killed string) {
	dir := t.TempDir()
	s := startServer(t, ServerConfig{Dir: dir})
	l := openLog(t, connect(t, s), LogConfig{})
	for i := range games {
		if _, err := l.Append(t.Context(), "w", logtest.Game(uint64(i), damagedMoves)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	killed = copyStore(t, dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, killed
}

func copyStore(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// storeFiles lists the files of a store that hold anything.
func storeFiles(t *testing.T, dir string) (paths []string, sizes []int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > 0 {
			paths, sizes = append(paths, path), append(sizes, int(info.Size()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths, sizes
}

// accountFor opens a damaged store and checks that every game is there or reported, and that the log goes on. It returns
// the number of games that were lost.
func accountFor(t *testing.T, dir string, games int) (lost int) {
	t.Helper()
	s := startServer(t, ServerConfig{Dir: dir})
	defer s.Close()
	l := openLog(t, connect(t, s), LogConfig{})
	defer l.Close()
	entries := logtest.Entries(t, l, 0)
	for i, e := range entries {
		switch {
		case e.Sequence != uint64(i+1):
			t.Errorf("entry %d has sequence number %d", i+1, e.Sequence)
		case e.Err == nil && !reflect.DeepEqual(e.Game, logtest.Game(uint64(i), damagedMoves)):
			t.Errorf("entry %d is another game", i+1)
		case e.Err != nil && !errors.Is(e.Err, replay.ErrDamaged) && !errors.Is(e.Err, replay.ErrMissing):
			t.Error(e.Err)
		case e.Err != nil:
			lost++
		}
	}
	if len(entries) != games {
		t.Errorf("%d entries, want %d", len(entries), games)
	}
	sequence, err := l.Append(t.Context(), "w", logtest.Game(uint64(games), damagedMoves))
	if err != nil || sequence != uint64(games+1) {
		t.Errorf("appended as %d, error %v", sequence, err)
	}
	if again := logtest.Entries(t, l, uint64(games)); len(again) != 1 || again[0].Game == nil {
		t.Errorf("after that: %+v", again)
	}
	return lost
}

// One bit that changes anywhere in the store costs at most one game, and that is reported.
func TestOneFlippedBit(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	const games = 500
	closed, killed := filledStores(t, games)
	for round := range rounds(220, 2000) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			rng := random.New(1, random.Test, uint64(round))
			dir := copyStore(t, []string{closed, killed}[round%2])
			paths, sizes := storeFiles(t, dir)
			at := rng.IntN(len(paths)) // half of the flips go to any file, the small ones as often as the big ones
			if round%4 < 2 {           // the others to any byte
				at = 0
				for i := rng.IntN(sum(sizes)); i >= sizes[at]; at++ {
					i -= sizes[at]
				}
			}
			content, err := os.ReadFile(paths[at])
			if err != nil {
				t.Fatal(err)
			}
			offset, bit := rng.IntN(len(content)), rng.IntN(8)
			content[offset] ^= 1 << bit
			if err := os.WriteFile(paths[at], content, 0o644); err != nil {
				t.Fatal(err)
			}
			if lost := accountFor(t, dir, games); lost > 1 || t.Failed() {
				t.Errorf("bit %d of byte %d of %s flipped: %d games lost", bit, offset, paths[at], lost)
			}
		})
	}
}

func sum(sizes []int) int {
	total := 0
	for _, n := range sizes {
		total += n
	}
	return total
}

// Files that are cut off or gone cost what they held, and that is reported.
func TestTornFiles(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	const games = 40
	closed, killed := filledStores(t, games)
	for _, from := range []string{closed, killed} {
		paths, _ := storeFiles(t, from)
		for _, path := range paths {
			name, _ := filepath.Rel(from, path)
			for cut, change := range map[string]func(path string, content []byte) error{
				"removed": func(path string, _ []byte) error { return os.Remove(path) },
				"empty":   func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o644) },
				"halved":  func(path string, c []byte) error { return os.WriteFile(path, c[:len(c)/2], 0o644) },
				"zeroed":  func(path string, c []byte) error { return os.WriteFile(path, make([]byte, len(c)), 0o644) },
			} {
				t.Run(name+" "+cut, func(t *testing.T) {
					t.Parallel()
					dir := copyStore(t, from)
					path := filepath.Join(dir, name)
					content, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					if err := change(path, content); err != nil {
						t.Fatal(err)
					}
					accountFor(t, dir, games)
				})
			}
		}
	}
}

// The records around a bad place are found again, whatever is wrong there.
func TestGoodRecords(t *testing.T) {
	_, killed := filledStores(t, 20)
	path := filepath.Join(killed, "jetstream", "$G", "streams", "games-run", "msgs", "1.blk")
	block, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h := newHash("games-run-1")
	if good := goodRecords(block, h); !bytes.Equal(good, block) {
		t.Fatalf("a sound block of %d bytes was cut to %d", len(block), len(good))
	}
	first := goodRecord(block, h)
	second := goodRecord(block[first:], h)
	want := slices.Concat(block[:first], block[first+second:])
	for name, bad := range map[string][]byte{
		"longer":  slices.Concat(block[:first], []byte("something else"), block[first+second:]),
		"shorter": slices.Concat(block[:first], block[first+7:]),
		"absent":  want,
		"zeros":   slices.Concat(block[:first], make([]byte, second), block[first+second:]),
		"torn":    slices.Concat(want, block[:first-1]),
	} {
		if good := goodRecords(bad, h); !bytes.Equal(good, want) {
			t.Errorf("%s: %d bytes are good, want %d", name, len(good), len(want))
		}
	}
}
