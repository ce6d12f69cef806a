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

// Neither opening nor locking follows a link or waits for a pipe, whatever it is for.
func TestLinksAndPipes(t *testing.T) {
	dir := t.TempDir()
	victim, link, pipe := filepath.Join(dir, "victim"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.Symlink(victim, link), syscall.Mkfifo(pipe, 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, pipe} {
		_, opened := Open(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
		_, locked := Lock(path)
		_, _, shared := Share(path)
		for _, err := range []error{opened, locked, shared} {
			if err == nil || !strings.Contains(err.Error(), path+" is not a regular file") {
				t.Errorf("error %v, want one that names %s", err, path)
			}
		}
		if _, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|careful, 0o644); err == nil {
			t.Errorf("%s is opened if it replaces the file after the check", path)
		}
	}
	if _, err := os.Lstat(victim); err == nil {
		t.Error("the link's target was made")
	}
}

// A lock is shared, or held by one. A missing file is free.
func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	alone, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, held := range []bool{false, true} {
		unlock, free, err := Share(path)
		if err != nil || free == held || unlock() != nil {
			t.Errorf("held %v: free %v, error %v", held, free, err)
		}
		if locked, err := alone.TryLock(); err != nil || !locked {
			t.Errorf("locked %v, error %v", locked, err)
		}
	}
	alone.Unlock()
	unlock, free, err := Share(path)
	if locked, _ := alone.TryLock(); err != nil || !free || locked || unlock() != nil {
		t.Errorf("free %v, error %v, locked although shared: %v", free, err, locked)
	}
}
