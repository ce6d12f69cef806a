// Package atomicfile writes files that are either whole or absent, and are still there after a loss of power: each is written
// under another name in the same directory, synced and renamed, and then the directory is synced.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// TempPattern is the pattern, in the form of os.CreateTemp and filepath.Glob, of the names of temporary files.
const TempPattern = ".tengen-*.tmp"

// Write calls write with a temporary file beside path, syncs it, gives it the permissions perm, whatever the umask, and
// renames it to path. After a crash at any instant path holds what it held before or the whole new content, and a temporary
// file that is left matches TempPattern. After an error it holds what it held before, unless only the last step failed, the
// sync of the directory: then the new content is there, but a loss of power may undo the renaming.
func Write(path string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, TempPattern)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("cannot write %s: %w", path, err)
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Chmod(perm); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return Rename(f.Name(), path)
}

// WriteBytes is Write with the whole content at hand.
func WriteBytes(path string, perm fs.FileMode, content []byte) error {
	return Write(path, perm, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Rename is os.Rename within a folder, and is still done after a loss of power.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

// MkdirAll is os.MkdirAll, and syncs the folders in which it makes new ones.
func MkdirAll(path string, perm fs.FileMode) error {
	var parents []string // of the folders to be made
	for dir := filepath.Clean(path); missing(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		parents = append(parents, filepath.Dir(dir))
	}
	if err := os.MkdirAll(path, perm); err != nil {
		return err
	}
	for _, dir := range parents {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// syncDir makes changes of a directory's names durable, where the system can: Windows and some file systems sync no
// directories.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
