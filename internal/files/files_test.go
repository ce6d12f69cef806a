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

// A lock keeps a file's content. It is shared, or held by one; a missing file is free and is not made.
func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	share := func(want bool) (unlock func() error) {
		t.Helper()
		unlock, free, err := Share(path)
		if err != nil || free != want {
			t.Errorf("free %v, want %v; %v", free, want, err)
		}
		return unlock
	}
	share(true)
	if _, err := os.Lstat(path); err == nil {
		t.Error("the missing file was made")
	}
	if err := os.WriteFile(path, []byte("123"), 0o644); err != nil {
		t.Fatal(err)
	}
	alone, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	locked, err := alone.TryLock()
	if content, unread := os.ReadFile(path); !locked || err != nil || string(content) != "123" {
		t.Errorf("locked %v (%v), the file holds %q (%v)", locked, err, content, unread)
	}
	share(false)
	alone.Unlock()
	unlock := share(true)
	if locked, _ := alone.TryLock(); locked || unlock() != nil {
		t.Error("locked although shared")
	}
}

func TestMaxOpen(t *testing.T) {
	if n := MaxOpen(); n < 20 || n > unlimited {
		t.Errorf("%d files", n)
	}
}
