package access

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// What could not be read once is read again, though it has not changed since; it is told once.
func TestUpdateTriesAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var c cached[string]
	told := 0
	var trouble error
	update := func() {
		t.Helper()
		err := c.update(path, func(error) { told++ }, func() (string, error) {
			content, err := os.ReadFile(path)
			return string(content), errors.Join(err, trouble)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	write("old")
	update()
	write("and newer")
	trouble = fs.ErrPermission
	update()
	update()
	if c.value != "old" || told != 1 {
		t.Errorf("it says %q, told %d times", c.value, told)
	}
	trouble = nil
	update()
	if c.value != "and newer" || told != 1 {
		t.Errorf("it says %q, told %d times", c.value, told)
	}
}

// A file of which nothing can be found out is told of as well.
func TestUpdateOutOfReach(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	var c cached[string]
	var told []error
	for _, at := range []string{path, "\x00", "\x00", path, "\x00"} {
		err := c.update(at, func(err error) { told = append(told, err) }, func() (string, error) {
			content, err := os.ReadFile(at)
			return string(content), err
		})
		if err != nil || c.value != "text" {
			t.Errorf("it says %q, error %v", c.value, err)
		}
	}
	if len(told) != 1 {
		t.Errorf("told %v", told)
	}
}
