package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tengen/internal/printable"
	"tengen/net"
)

// PublishedModel is a model published by a run.
type PublishedModel struct {
	Iteration int // made the model
	File      string
	Games     uint64 // self-play games so far
}

// Label is a short name for texts, such as "connect4 120" for a model in checkpoints/connect4.
func (m PublishedModel) Label() string {
	dir := filepath.ToSlash(filepath.Dir(m.File))
	return fmt.Sprintf("%s %d", strings.TrimPrefix(dir, "checkpoints/"), m.Iteration)
}

// ModelFiles lists a run directory's models, the oldest first, without Games. Another process may hold the directory.
func ModelFiles(path string) ([]PublishedModel, error) {
	iterations, err := layout(path).models()
	if err != nil {
		return nil, err
	}
	if len(iterations) == 0 {
		return nil, fmt.Errorf("the directory %s has no model: it is not a run directory, or its run has not published one yet", path)
	}
	models := make([]PublishedModel, len(iterations))
	for i, n := range iterations {
		models[i] = PublishedModel{Iteration: n, File: layout(path).model(n)}
	}
	return models, nil
}

// Models is like ModelFiles but also sets Games.
func Models(path string) ([]PublishedModel, error) {
	models, err := ModelFiles(path)
	if err != nil {
		return nil, err
	}
	metrics, err := ReadMetrics(path)
	if err != nil {
		return nil, err
	}
	for i := range models {
		for _, m := range metrics {
			if m.Iteration <= models[i].Iteration {
				models[i].Games = m.Games
			}
		}
	}
	return models, nil
}

// LoadNewest loads a model file or, from a run directory, which another process may hold, the newest model. It also
// returns the model's file. If the newest model is damaged, LoadNewest returns an error that names the newest
// intact one.
func LoadNewest(path string) (m *net.Model, file string, err error) {
	if file, err = newestModel(path); err != nil {
		return nil, "", err
	}
	m, err = net.LoadModel(file)
	if err == nil || file == path {
		return m, file, err
	}
	if Started(path) {
		err = fmt.Errorf("%w: `tengen train --run %s` writes it again", err, printable.Word(path))
	}
	models, _ := ModelFiles(path)
	for _, older := range slices.Backward(models) {
		if _, damage := net.LoadModel(older.File); damage == nil {
			return nil, "", fmt.Errorf("%w; %s is intact", err, older.File)
		}
	}
	return nil, "", err
}

// newestModel returns the file named in a run directory's file "latest" or, without that, the model with the highest
// number. A path that is not a directory is returned as it is.
func newestModel(path string) (file string, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no model file or run directory %s", path)
	case err != nil:
		return "", err
	case !info.IsDir():
		return path, nil
	}
	models, err := ModelFiles(path)
	if err != nil {
		return "", err
	}
	if n, ok := layout(path).latest(); ok {
		return layout(path).model(n), nil
	}
	return models[len(models)-1].File, nil
}

// PlayedBy returns a function that loads the model that played an earlier game of the run at path. Its error wraps
// fs.ErrNotExist if the model or its iteration's metrics no longer exist.
func PlayedBy(path string, gamesPerIteration, ahead int) func(number uint64) (model uint64, w *net.Weights, err error) {
	loaded := map[uint64]*net.Weights{}
	return func(number uint64) (model uint64, w *net.Weights, err error) {
		before := max(0, int(number)/gamesPerIteration-ahead) // iterations completed when the game was played
		if before > 0 {
			metrics, err := ReadMetrics(path)
			if err != nil {
				return 0, nil, err
			}
			if before > len(metrics) || metrics[before-1].Iteration != before {
				return 0, nil, fmt.Errorf("the metrics of iteration %d: %w", before, fs.ErrNotExist)
			}
			model = uint64(metrics[before-1].Model)
		}
		if loaded[model] == nil {
			m, err := net.LoadModel(layout(path).model(int(model)))
			if err != nil {
				return 0, nil, err
			}
			loaded[model] = m.Weights
		}
		return model, loaded[model], nil
	}
}

// SpreadModels returns at most n published models of a run, evenly spread from first to last; for 1, the last.
func SpreadModels(dir string, n int) ([]PublishedModel, error) {
	all, err := Models(dir)
	if err != nil || len(all) <= n {
		return all, err
	}
	var some []PublishedModel
	for i := range n - 1 {
		some = append(some, all[i*(len(all)-1)/(n-1)])
	}
	return append(some, all[len(all)-1]), nil
}
