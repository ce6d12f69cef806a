package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tengen/internal/atomicfile"
)

// secret returns the content of a file that only its owner may read, or makes it with a random text.
func secret(path string) (string, error) {
	content, err := os.ReadFile(path)
	text := strings.TrimSpace(string(content))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = rand.Text()
		return text, writeSecret(path, text)
	case err != nil:
		return "", err
	case text == "":
		return "", fmt.Errorf("%s is empty: remove it, and there will be a new one", path)
	}
	return text, nil
}

// writeSecret is atomicfile.WriteBytes with mode 0600.
func writeSecret(path, text string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), atomicfile.TempPattern) // has that mode
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err := f.WriteString(text + "\n"); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
