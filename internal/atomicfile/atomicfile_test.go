package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A file is replaced as a whole, and nothing else stays in the folder.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, content := range []string{"first", "", "the third and longest"} {
		if err := WriteBytes(path, 0o644, []byte(content)); err != nil {
			t.Fatal(err)
		}
		expect(t, dir, content)
	}
}

// Whatever goes wrong, the file is as it was.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteBytes(path, 0o644, []byte("before")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(path, 0o644, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half of it"); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
	expect(t, dir, "before")
	if err := WriteBytes(filepath.Join(dir, "no", "file"), 0o644, nil); err == nil {
		t.Error("a file was written into a folder that does not exist")
	}
}

// A file has the permissions that it is written with, whatever the old one had.
func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the permissions of Windows are others")
	}
	path := filepath.Join(t.TempDir(), "file")
	for _, perm := range []fs.FileMode{0o600, 0o644, 0o400} {
		if err := WriteBytes(path, perm, nil); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != perm {
			t.Errorf("mode %v (%v), want %v", info.Mode(), err, perm)
		}
	}
}

// MkdirAll makes what is missing, accepts what is there, and refuses a file in its way.
func TestMkdirAll(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := MkdirAll(filepath.Join(dir, "a", "b", "c")+string(filepath.Separator), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "a", "b", "c")); err != nil || !info.IsDir() {
		t.Errorf("no folder was made: %v", err)
	}
	if err := WriteBytes(filepath.Join(dir, "file"), 0o644, nil); err != nil {
		t.Fatal(err)
	}
	if err := MkdirAll(filepath.Join(dir, "file", "a"), 0o755); err == nil {
		t.Error("a folder was made in a file")
	}
}

// A folder that cannot be synced is an error, except where the system syncs no folders.
func TestSyncDir(t *testing.T) {
	dir := t.TempDir()
	if err := syncDir(dir); err != nil {
		t.Error(err)
	}
	if err := syncDir(filepath.Join(dir, "no")); err == nil && runtime.GOOS != "windows" {
		t.Error("a folder that does not exist was synced")
	}
}

// expect checks that the folder holds one file, with that content.
func expect(t *testing.T, dir, content string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("%d files in the folder, want 1", len(entries))
	}
	if got, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(got) != content {
		t.Errorf("the file holds %q (%v), want %q", got, err, content)
	}
}
