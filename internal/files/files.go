// Package files opens and locks files that another process may have replaced, and reads lines.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// Check returns an error that names path if there is anything but a regular file: opening a pipe may wait forever, a
// device may never end, and a link may lead to either, or to a file of somebody else. Check does not open the file.
func Check(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder: name a file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file (%v): put the file itself there, or move it away", path, info.Mode().Type())
	}
	return nil
}

// Open opens a file as os.OpenFile does, but returns Check's error for anything but a regular file. If a link or a pipe
// replaces the file meanwhile, Open neither follows it nor waits.
func Open(path string, flag int, perm fs.FileMode) (*os.File, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, flag|careful, perm)
}

// Read returns the content of a regular file of at most limit bytes. Anything else is an error, see Open.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s has %d bytes, but at most %d are allowed: choose another file", path, info.Size(), limit)
	}
	content := make([]byte, info.Size())
	n, err := io.ReadFull(f, content)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it has become shorter
	}
	return content[:n], err
}

// Lock returns a lock on the file, which nobody holds yet. Locking creates the file if it is missing, and leaves its
// content alone. Anything but a regular file is an error.
func Lock(path string) (*flock.Flock, error) { return lock(path, os.O_CREATE) }

func lock(path string, flag int) (*flock.Flock, error) {
	return flock.New(path, flock.SetFlag(flag|careful), flock.SetPermissions(0o644)), Check(path)
}

// Share keeps other processes from locking a file until unlock is called. free is false if one has locked it. Share
// creates nothing: a missing file is free.
func Share(path string) (unlock func() error, free bool, err error) {
	l, err := lock(path, os.O_RDONLY)
	if err == nil {
		free, err = l.TryRLock()
	}
	if errors.Is(err, fs.ErrNotExist) {
		free, err = true, nil
	}
	return l.Unlock, free, err
}
