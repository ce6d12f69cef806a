package checkpoint

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"tengen/internal/errtest"
	"tengen/net"
)

var noError, wantError = errtest.NoError, errtest.Want

// process is one process in the life of a run directory, whose run does nothing but to commit iterations.
type process struct {
	iterations int
	config     string
	keep       int
	interrupt  func(part string) error // see Dir.Interrupt
	damage     []error                 // what it was told of
}

// in continues in the directory until the iterations are committed or a commit fails.
func (p *process) in(path string) error {
	d, err := Open(path, []byte(p.config), anyRun)
	if err != nil {
		return err
	}
	defer d.Close()
	if p.interrupt != nil {
		d.Interrupt = p.interrupt
	}
	c, damage := d.Newest()
	p.damage = damage
	if c == nil {
		c = beginning()
		if err := d.Commit(c, testModel(c.Published), nil, p.keep); err != nil {
			return err
		}
	} else if damage, err := d.Restore(c, testModel(c.Published), p.keep); damage != nil || err != nil {
		return errors.Join(damage, err)
	}
	for c.Iteration < p.iterations {
		c = next(c)
		seconds := Seconds{SelfPlay: 2, Wait: 1, Verify: 3, Train: 0.5, Evaluate: 7}
		m := &Metrics{Iteration: c.Iteration, Games: c.Games, Model: c.Published.Iteration, PlayedBy: c.Before, Seconds: seconds}
		if err := d.Commit(c, testModel(c.Published), m, p.keep); err != nil {
			return err
		}
	}
	return nil
}

func anyRun([]byte, *Checkpoint) error { return nil }

// beginning is the checkpoint of a run's start.
func beginning() *Checkpoint {
	return &Checkpoint{Settings: map[string]string{"game": "tictactoe", "seed": "5"}, Semantics: 1, Published: Published{Search: json.RawMessage("{}")}, Tensors: testWeights(0).Params}
}

// next is the checkpoint that follows on another. The first iteration publishes nothing.
func next(before *Checkpoint) *Checkpoint {
	c := *before
	c.Iteration, c.Before = c.Iteration+1, c.Published.ModelFile
	c.Games += 3
	if c.Iteration > 1 {
		c.Published.ModelFile, c.Published.Step = ModelFile{Iteration: c.Iteration}, uint64(10*c.Iteration)
		c.Published.Figures = map[string]string{"games": "some"}
	}
	c.Tensors = testWeights(c.Iteration).Params
	return &c
}

func testWeights(iteration int) *net.Weights {
	cfg := net.Config{Blocks: 1, Channels: 2, PolicyHead: net.HeadDense, PolicyChannels: 1, ValueHead: net.HeadDense, ValueChannels: 1, ValueHidden: 2}
	return net.NewWeights(cfg, net.Shape{Height: 3, Width: 3, Actions: 9, Planes: 4}, uint64(iteration))
}

func testModel(p Published) *net.Model {
	return &net.Model{
		Game: "tictactoe", Iteration: p.Iteration, Step: int(p.Step), Figures: p.Figures, Search: p.Search, Weights: testWeights(p.Iteration),
	}
}

// testRun is the directory of a run of three iterations, with the models of iterations 0, 2 and 3.
func testRun(t testing.TB) string {
	t.Helper()
	path := t.TempDir()
	noError(t, (&process{iterations: 3, config: "a: 1\n"}).in(path))
	return path
}

// contents are the files of a run directory, but for the lock, by name.
func contents(t testing.TB, path string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(path, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == LockFile {
			return err
		}
		content, err := os.ReadFile(file)
		name, _ := filepath.Rel(path, file)
		files[filepath.ToSlash(name)] = string(content)
		return err
	})
	noError(t, err)
	return files
}

func wantSame(t testing.TB, path string, want map[string]string) {
	t.Helper()
	got := contents(t, path)
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("the directory holds %v, want %v", names(got), names(want))
	}
}

func names(files map[string]string) (all []string) {
	for name := range maps.Keys(files) {
		all = append(all, name)
	}
	return all
}

// flip changes one bit of a file.
func flip(t testing.TB, file string, at uint64) {
	t.Helper()
	content, err := os.ReadFile(file)
	noError(t, err)
	content[at/8%uint64(len(content))] ^= 1 << (at % 8)
	rewrite(t, file, string(content))
}

func rewrite(t testing.TB, file, content string) {
	t.Helper()
	noError(t, os.WriteFile(file, []byte(content), 0o644))
}

func remove(t testing.TB, file string) {
	t.Helper()
	noError(t, os.Remove(file))
}
