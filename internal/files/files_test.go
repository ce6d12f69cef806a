//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Regular files up to the limit are read; whatever may keep a reader waiting, or fill the memory, is refused at once.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.WriteFile(at("plain"), []byte("12345"), 0o644),
		os.WriteFile(at("huge"), nil, 0o644),
		os.Truncate(at("huge"), 10<<30),
		os.Symlink(at("plain"), at("link")),
		syscall.Mkfifo(at("pipe"), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	if content, err := Read(at("plain"), 5); err != nil || string(content) != "12345" {
		t.Errorf("%q, %v", content, err)
	}
	if _, err := Read(at("missing"), 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	for name, want := range map[string]string{
		"plain": "has 5 bytes, but at most 4 are allowed", "huge": "has 10737418240 bytes", "link": "not a regular file (L", "pipe": "not a regular file (p",
		".": "is a folder",
	} {
		if content, err := Read(at(name), 4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d bytes, error %v, want %q", name, len(content), err, want)
		}
	}
	if _, err := Read(os.DevNull, 4); err == nil || !strings.Contains(err.Error(), "not a regular file (Dc") {
		t.Errorf("a device: %v", err)
	}
}

func TestMaxOpen(t *testing.T) {
	if n := MaxOpen(); n < 20 || n > unlimited {
		t.Errorf("%d files", n)
	}
}
