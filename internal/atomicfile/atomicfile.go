// Package atomicfile writes files atomically and durably: it syncs and renames a temporary file and syncs its
// directory.
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

	"github.com/rogpeppe/go-internal/robustio"
)

// TempPattern matches temporary files, for os.CreateTemp and filepath.Glob.
const TempPattern = ".tengen-*.tmp"

// Write calls write with a temporary file, sets its permissions to perm regardless of the umask, and renames it to
// path. After a crash, path has its old or its whole new content, and a leftover file matches TempPattern. After an
// error, path has its old content, unless only the directory's sync failed: then a power loss may undo the renaming.
func Write(path string, perm fs.FileMode, write func(io.Writer) error) error {
	if err := replace(path, perm, write); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

func replace(path string, perm fs.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), TempPattern)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s: %w", filepath.Dir(path), fs.ErrNotExist)
	} else if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// WriteBytes writes content to path as Write does.
func WriteBytes(path string, perm fs.FileMode, content []byte) error {
	return Write(path, perm, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Rename is a durable os.Rename within a directory. On Windows, it tries for two seconds while another process reads a
// file.
func Rename(from, to string) error {
	if err := robustio.Rename(from, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

// MkdirAll is a durable os.MkdirAll: it syncs the parents of new directories.
func MkdirAll(path string, perm fs.FileMode) error {
	var parents []string // of the missing directories
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

// syncDir makes a directory's names durable. Windows and some file systems cannot sync directories.
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
