package gamesdb

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wantOrigin checks the run that the database names.
func wantOrigin(t *testing.T, d *DB, settings map[string]string, models map[uint64]string) {
	t.Helper()
	gotSettings, gotModels, err := d.Origin(t.Context())
	if err != nil || !maps.Equal(gotSettings, settings) || !maps.Equal(gotModels, models) {
		t.Errorf("the origin is %v and %v (%v), want %v and %v", gotSettings, gotModels, err, settings, models)
	}
}

// A database names one run. What it does not name yet is added; what differs is an error that adds nothing.
func TestOrigin(t *testing.T) {
	d := openTest(t, t.TempDir())
	seed := map[string]string{"seed": "1"}
	add := func(settings map[string]string, models map[uint64]string, want string) {
		t.Helper()
		err := d.AddOrigin(t.Context(), settings, models)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), d.path+" does not belong to this run: "+want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	add(seed, map[uint64]string{0: "aa"}, "")
	add(map[string]string{"seed": "2"}, map[uint64]string{0: "bb"}, "it says that seed is 1, but the run has 2: ")
	add(nil, map[uint64]string{0: "bb", 1: "cc"}, "it says that the SHA-256 of model 0 is aa, but the run has bb: ")
	add(nil, map[uint64]string{1: "cc"}, "")
	wantOrigin(t, d, seed, map[uint64]string{0: "aa", 1: "cc"})
	fill(t, d, "w", 0, 350) // models 0 to 3
	if err := d.Forget(t.Context(), 0); err != nil {
		t.Error(err)
	}
	wantSpan(t, d, 0, 100)
	wantOrigin(t, d, seed, map[uint64]string{0: "aa"})
	mustExec(t, shell(t, filepath.Dir(d.path)), "UPDATE settings SET value = char(27) || '[2J'")
	add(seed, nil, `it says that seed is \x1b[2J, but`)
}

// Repaired and copied databases name the same run.
func TestOriginStays(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	d := openTest(t, dir)
	fill(t, d, "w", 0, 3)
	settings, models := map[string]string{"seed": "1"}, map[uint64]string{0: "aa"}
	if err := d.AddOrigin(t.Context(), settings, models); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Backup(to), s.Close(), r.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	wantOrigin(t, openTest(t, to), settings, models)
	if _, err := Repair(t.Context(), dir, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	wantOrigin(t, openTest(t, dir), settings, models)
}

// OpenUntouched reads a run that rests and one that was killed, and leaves every file, and the directory, as it is.
func TestUntouched(t *testing.T) {
	whole := t.TempDir()
	d := openTest(t, whole)
	fill(t, d, "w", 0, 20)
	killed := filepath.Join(t.TempDir(), "killed") // its games are in the WAL alone
	if err := os.CopyFS(killed, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{whole, killed} {
		before := snapshot(t, dir)
		r, err := OpenUntouched(t.Context(), dir, filepath.Join(dir, "lock"))
		if err != nil {
			t.Fatal(err)
		}
		games := len(entries(t, r.DB, 0, endless))
		during := snapshot(t, dir)
		if err := r.Close(); err != nil || games != 20 {
			t.Errorf("%d games, want 20; %v", games, err)
		}
		if after := snapshot(t, dir); !maps.Equal(after, before) || !maps.Equal(during, before) {
			t.Errorf("%s had %v, has %v", dir, before, after)
		}
	}
	if err := os.Remove(filepath.Join(killed, FileName+"-shm")); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, killed)
	_, err := OpenUntouched(t.Context(), killed, "")
	if err == nil || !strings.Contains(err.Error(), "`tengen replay stats "+killed+"`, with permission to write there, brings them into the database") {
		t.Errorf("without its index of the WAL: %v", err)
	}
	if after := snapshot(t, killed); !maps.Equal(after, before) {
		t.Errorf("%s had %v, has %v", killed, before, after)
	}
}

// snapshot returns the content and the time of a directory's files, by name, and the directory's own time as ".".
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names(entries), ".") {
		content, _ := os.ReadFile(filepath.Join(dir, name)) // none of a directory
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = info.ModTime().String() + string(content)
	}
	return all
}

func names(entries []os.DirEntry) (names []string) {
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Neither the database nor a file that SQLite finds beside it is opened through a link.
func TestLinks(t *testing.T) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
		openTest(t, dir).Close()
		path := filepath.Join(dir, FileName+suffix)
		os.Rename(path, elsewhere) // of what is there
		if err := os.Symlink(elsewhere, path); err != nil {
			t.Skip(err)
		}
		_, err := Open(t.Context(), dir, func(error) {})
		_, unread := OpenReader(t.Context(), dir, "")
		_, untouched := OpenUntouched(t.Context(), dir, "")
		for _, err := range []error{err, unread, untouched} {
			if err == nil || !strings.Contains(err.Error(), path+" is not a regular file") {
				t.Errorf("%s: error %v", suffix, err)
			}
		}
	}
}
