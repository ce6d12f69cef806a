package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tengen/internal/files"
	"tengen/internal/printable"
	"tengen/internal/safetensors"
	"tengen/net"
)

// PublishedModel is a model published by a run.
type PublishedModel struct {
	Iteration int // made the model
	File      string
	Games     uint64 // self-play games so far; only SpreadModels sets it
}

// Label is a short name for texts, such as "connect4 120" for a model in checkpoints/connect4.
func (m PublishedModel) Label() string {
	dir := filepath.ToSlash(filepath.Dir(m.File))
	return fmt.Sprintf("%s %d", strings.TrimPrefix(dir, "checkpoints/"), m.Iteration)
}

// ModelFiles lists a run directory's models, the oldest first, without Games and without links. Another process may
// hold the directory.
func ModelFiles(path string) ([]PublishedModel, error) {
	iterations, err := layout(path).models()
	if err != nil {
		return nil, err
	}
	var models []PublishedModel
	for _, n := range iterations {
		if file := layout(path).model(n); files.Check(file) == nil {
			models = append(models, PublishedModel{Iteration: n, File: file})
		}
	}
	if len(models) == 0 {
		return nil, fmt.Errorf("the directory %s has no model: it is not a run directory, or its run has not published one yet", path)
	}
	return models, nil
}

// LoadNewest loads a model file or, from a run directory, which another process may hold, the newest model. It also
// returns the model's file. If the newest model is damaged, LoadNewest returns an error that names the newest
// intact one.
func LoadNewest(path string) (m *net.Model, file string, err error) {
	file = path
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("there is no model file or run directory %s", path)
	case err != nil:
		return nil, "", err
	case info.IsDir():
		newest, err := NewestModel(path)
		if err != nil {
			return nil, "", err
		}
		file = newest.File
	}
	m, err = net.LoadModel(file)
	if err == nil || file == path {
		return m, file, err
	}
	if _, damage := safetensors.Read(file, net.MaxFile); damage != nil && Started(path) {
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

// NewestModel returns the model that a run directory's file "latest" names or, without that, the one with the highest
// number. It lists the directory only in the second case.
func NewestModel(path string) (PublishedModel, error) {
	n, named := layout(path).latest()
	latest := PublishedModel{Iteration: n, File: layout(path).model(n)}
	if _, err := os.Lstat(latest.File); named && err == nil {
		return latest, nil
	}
	models, err := ModelFiles(path)
	switch {
	case err != nil:
		return PublishedModel{}, err
	case named:
		return latest, nil
	}
	return models[len(models)-1], nil
}

// PlayedBy returns a function that loads the model that played an earlier game of the run at path. Its error wraps
// fs.ErrNotExist if the model or its iteration's metrics no longer exist, and is ErrOtherModel's if the file is
// another.
func PlayedBy(path string, gamesPerIteration int) func(number uint64) (model uint64, w *net.Weights, err error) {
	var metrics []Metrics
	var loaded net.Model // the last one asked for
	iteration := -1      // of loaded
	return func(number uint64) (model uint64, w *net.Weights, err error) {
		of := int(number)/gamesPerIteration + 1 // the iteration
		if n := len(metrics); n == 0 || metrics[n-1].Iteration < of {
			if metrics, err = ReadMetrics(path); err != nil {
				return 0, nil, err
			}
		}
		// Lines may be lost, so they are not found by their places.
		i, found := slices.BinarySearchFunc(metrics, of, func(m Metrics, of int) int { return m.Iteration - of })
		if !found {
			return 0, nil, fmt.Errorf("the metrics of iteration %d: %w", of, fs.ErrNotExist)
		}
		f := metrics[i].PlayedBy
		if iteration != f.Iteration {
			content, err := layout(path).readModel(f)
			if err == nil {
				err = loaded.UnmarshalBinary(content)
			}
			if err != nil {
				return 0, nil, err
			}
			iteration = f.Iteration
		}
		return uint64(f.Iteration), loaded.Weights, nil
	}
}

// ErrOtherModel marks the error of an intact model file that is not the one that the run made.
var ErrOtherModel = errors.New("restore the run's own from a copy, or remove this one")

// readModel returns a model file's content. f.SHA256 is "" if nothing tells it.
func (l layout) readModel(f ModelFile) ([]byte, error) {
	file := l.model(f.Iteration)
	content, err := files.Read(file, net.MaxFile)
	if err != nil {
		return nil, err
	}
	sum := digest(content)
	if sum == f.SHA256 {
		return content, nil
	}
	switch m, err := net.LoadModel(file); {
	case err != nil:
		return nil, err
	case m.Iteration != f.Iteration:
		return nil, fmt.Errorf("%s is the model of iteration %d: %w", file, m.Iteration, ErrOtherModel)
	case f.SHA256 != "":
		return nil, fmt.Errorf("%s is the model of another run: its SHA-256 is %.8s..., but this run's model has %.8s...: %w", file, sum, f.SHA256, ErrOtherModel)
	}
	return content, nil
}

// CheckModels returns an error that wraps ErrOtherModel if a model file in the directory is intact, but not the run's.
// known has the SHA-256 of the run's files, by name.
func CheckModels(path string, known map[string]string) error {
	iterations, err := layout(path).models()
	for _, n := range iterations {
		if _, err := layout(path).readModel(ModelFile{n, known[ModelName(n)]}); errors.Is(err, ErrOtherModel) {
			return err
		}
	}
	return err
}

// KnownModels returns the SHA-256 of the run's model files by name, as far as the checkpoint, which may be nil, and the
// metrics that belong to it tell.
func (c *Checkpoint) KnownModels(path string) map[string]string {
	known := map[string]string{}
	if c == nil {
		return known
	}
	models := []ModelFile{c.Before, c.Published.ModelFile}
	content, _ := layout(path).metrics()
	if kept, history := committedLines(content, c.Iteration); history == c.History {
		for _, m := range parseMetrics(kept) {
			models = append(models, m.PlayedBy)
		}
	}
	for _, f := range models {
		known[ModelName(f.Iteration)] = f.SHA256
	}
	return known
}

// SpreadModels returns at most n published models of a run, evenly spread from first to last; for 1, the last.
func SpreadModels(dir string, n int) ([]PublishedModel, error) {
	some, err := ModelFiles(dir)
	if err != nil {
		return nil, err
	}
	if all := some; len(all) > n {
		some = nil
		for i := range n - 1 {
			some = append(some, all[i*(len(all)-1)/(n-1)])
		}
		some = append(some, all[len(all)-1])
	}
	metrics, err := ReadMetrics(dir)
	for i := range some {
		for _, m := range metrics {
			if m.Iteration <= some[i].Iteration {
				some[i].Games = m.Games
			}
		}
	}
	return some, err
}
