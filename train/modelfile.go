package train

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tengen/net"
)

// ModelFile returns the model file that path stands for: path itself, or the newest model of a run directory, which
// another process may hold. That is the one that the file "latest" names or, if that is missing or damaged, the newest
// intact one.
func ModelFile(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no model file or run directory %s", path)
	case err != nil:
		return "", err
	case !info.IsDir():
		return path, nil
	}
	models, err := (&Dir{path: path}).models()
	if err != nil {
		return "", err
	}
	if len(models) == 0 {
		return "", fmt.Errorf("the directory %s has no model: it is no run directory, or its run has not published one yet", path)
	}
	if n, ok := readLatest(path); ok {
		models = append(models, n)
	}
	var damage error // of the first one tried
	for _, n := range slices.Backward(models) {
		file := filepath.Join(path, fmt.Sprintf(modelPattern, n))
		if _, err := net.LoadModel(file); err == nil {
			return file, nil
		} else if damage == nil {
			damage = err
		}
	}
	return "", fmt.Errorf("the directory %s has no model that is intact: %w", path, damage)
}

// ModelName is the name of the file with the model that an iteration has published.
func ModelName(iteration int) string { return fmt.Sprintf(modelPattern, iteration) }

// readLatest is the iteration of the model that a directory's file "latest" names.
func readLatest(path string) (iteration int, ok bool) {
	content, err := os.ReadFile(filepath.Join(path, latestFile))
	if err != nil {
		return 0, false
	}
	return number(modelPattern+"\n", string(content))
}
