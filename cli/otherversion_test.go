package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/frame"
	"tengen/replay"
	"tengen/replay/gamesdb"
)

// All commands that read games refuse a record of another version by name. None calls it damaged or changes the run.
func TestRunWithARecordOfAnotherVersion(t *testing.T) {
	dir := tinyRun(t)
	record, err := (&replay.Record{Number: 16, Seed: 42}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	record[0] = 99
	execSQL(t, dir, "INSERT INTO games VALUES (16, 2, 'local', 'first', 5, '2026-01-02T03:04:05.678Z', ?)",
		frame.Seal(record[:len(record)-frame.SumSize]))
	unchanged := contents(t, dir)
	const want = "game 16: cannot read a game record: it has version 99, but this program needs 2: " +
		"continue with the program that made it, or update this one"
	for _, args := range [][]string{
		{"train", "--run", dir, "--set", "train.iterations=3"},
		{"replay", "stats", dir}, {"replay", "verify", dir}, {"replay", "show", dir, "16"}, {"replay", "repair", dir},
		{"replay", "export", dir, "--text", filepath.Join(t.TempDir(), "games.txt")},
	} {
		code, _, errOut := cli(t.Context(), nil, args...)
		if code != exitError || !strings.Contains(errOut, want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("tengen %s: exit status %d\n%s", strings.Join(args, " "), code, errOut)
		}
		unchanged(args)
	}
}

// contents returns a function that reports what has changed in a run's directory since, but for its lock, its settings, which
// train writes first of all, and the database's WAL.
func contents(t *testing.T, dir string) (unchanged func(by []string)) {
	t.Helper()
	read := func() map[string]string {
		files := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			name := filepath.Base(path)
			if err == nil && !d.IsDir() && name != "run.yaml" && name != "lock" && !strings.HasPrefix(name, gamesdb.FileName+"-") {
				files[path] = string(readFile(t, path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	before := read()
	return func(by []string) {
		t.Helper()
		now := read()
		for name, content := range before {
			if now[name] != content {
				t.Errorf("tengen %s changes %s", strings.Join(by, " "), name)
			}
			delete(now, name)
		}
		for name := range now {
			t.Errorf("tengen %s makes %s", strings.Join(by, " "), name)
		}
	}
}
