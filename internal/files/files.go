// Package files opens files that another process may have replaced, and waits while too many files are open.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// unlimited is more open files than any process needs.
const unlimited = 1 << 20

// Read returns the content of a regular file of at most limit bytes. Anything else is an error: opening a pipe may wait
// forever, and a device may never end. Links are errors too, since one may lead to a pipe or a device.
func Read(path string, limit int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err == nil {
		err = check(path, info, limit)
	}
	if err != nil {
		return nil, err
	}
	f, err := Open(func() (*os.File, error) {
		return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe may have replaced it
	})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil {
		err = check(path, info, limit)
	}
	if err != nil {
		return nil, err
	}
	content := make([]byte, info.Size())
	n, err := io.ReadFull(f, content)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it has become shorter
	}
	return content[:n], err
}

func check(path string, info fs.FileInfo, limit int64) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a folder: name a file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file (%v): put the file itself there", path, info.Mode().Type())
	case info.Size() > limit:
		return fmt.Errorf("%s has %d bytes, but at most %d are allowed: choose another file", path, info.Size(), limit)
	}
	return nil
}
