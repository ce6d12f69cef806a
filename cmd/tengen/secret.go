package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
		return text, atomicfile.WriteBytes(path, 0o600, []byte(text+"\n"))
	case err != nil:
		return "", err
	case text == "":
		return "", fmt.Errorf("%s is empty: remove it, and there will be a new one", path)
	}
	return text, nil
}
