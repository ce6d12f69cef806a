package gamesdb

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func wantOrigin(t *testing.T, d *DB, want map[string]string) {
	t.Helper()
	if got, err := d.Origin(t.Context()); err != nil || !maps.Equal(got, want) {
		t.Errorf("the origin is %v (%v), want %v", got, err, want)
	}
}

// A database names one run. What it does not name yet is added; what differs is an error that adds nothing. Copies and
// repaired databases name the same run.
func TestOrigin(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	d := openTest(t, dir)
	seed, model0, model1 := map[string]string{"seed": "1"}, "model-00000000.safetensors", "model-00000001.safetensors"
	add := func(origin map[string]string, want string) {
		t.Helper()
		err := d.AddOrigin(t.Context(), origin)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), d.path+" does not belong to this run: "+want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	add(seed, "")
	add(map[string]string{model0: "aa"}, "")
	add(map[string]string{"seed": "2", model1: "cc"}, "its seed is 1, but the run's is 2: ")
	add(map[string]string{model0: "bb", model1: "cc"}, "its "+model0+" is aa, but the run's is bb: ")
	wantOrigin(t, d, map[string]string{"seed": "1", model0: "aa"})
	add(map[string]string{model1: "cc"}, "")
	fill(t, d, "w", 0, 350) // models 0 to 3
	if err := d.Forget(t.Context(), 0); err != nil {
		t.Error(err)
	}
	wantSpan(t, d, 0, 100)
	wantOrigin(t, d, map[string]string{"seed": "1", model0: "aa"})
	mustExec(t, shell(t, dir), "UPDATE origin SET value = char(27) || '[2J'")
	add(seed, `its seed is \x1b[2J, but`)

	want, err := d.Origin(t.Context())
	if err != nil {
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
	wantOrigin(t, openTest(t, to), want)
	if _, err := Repair(t.Context(), dir, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	wantOrigin(t, openTest(t, dir), want)
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
		before := listing(t, dir)
		r, err := OpenUntouched(t.Context(), dir, filepath.Join(dir, "lock"))
		if err != nil {
			t.Fatal(err)
		}
		games, during := len(entries(t, r.DB, 0, endless)), listing(t, dir)
		if err := r.Close(); err != nil || games != 20 {
			t.Errorf("%d games, want 20; %v", games, err)
		}
		if after := listing(t, dir); !slices.Equal(after, before) || !slices.Equal(during, before) {
			t.Errorf("%s had %v, has %v", dir, before, after)
		}
	}
	if err := os.Remove(filepath.Join(killed, FileName+"-shm")); err != nil {
		t.Fatal(err)
	}
	before := listing(t, killed)
	_, err := OpenUntouched(t.Context(), killed, "")
	if err == nil || !strings.Contains(err.Error(), "`tengen replay stats "+killed+"`, with permission to write there, brings them into the database") {
		t.Errorf("without its index of the WAL: %v", err)
	}
	if after := listing(t, killed); !slices.Equal(after, before) {
		t.Errorf("%s had %v, has %v", killed, before, after)
	}
}

// listing returns the names, sizes and times of a directory and its files.
func listing(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		all = append(all, fs.FormatFileInfo(info)+info.ModTime().String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
