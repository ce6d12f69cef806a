package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is replaced as a whole, and nothing else stays in the folder.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, content := range []string{"first", "", "the third and longest"} {
		if err := WriteBytes(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		expect(t, dir, content)
	}
}

// Whatever goes wrong, the file is as it was.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteBytes(path, []byte("before")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half of it"); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
	expect(t, dir, "before")
	if err := WriteBytes(filepath.Join(dir, "no", "file"), nil); err == nil {
		t.Error("a file was written into a folder that does not exist")
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
