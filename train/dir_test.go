package train

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tengen/net"
)

func TestDirIsHeldByOne(t *testing.T) {
	path := t.TempDir()
	first := openTestDir(t, path)
	_, err := OpenDir(path, nil, func([]byte) error { return nil })
	wantError(t, err, fmt.Sprintf("in use by process %d", os.Getpid()))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	openTestDir(t, path).Close()
}

// The configuration of the run so far is that of its newest checkpoint, whatever somebody writes into config.yaml.
func TestDirKeepsTheConfiguration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "run")
	if err := newRun().in(t, path); err != nil { // under "a: 1"
		t.Fatal(err)
	}
	file := filepath.Join(path, "config.yaml")
	if err := os.WriteFile(file, []byte("edited"), 0o644); err != nil {
		t.Fatal(err)
	}
	open := func(config string, compatible func([]byte) error) error {
		d, err := OpenDir(path, []byte(config), compatible)
		if err == nil {
			d.Close()
		}
		return err
	}
	written := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("config.yaml holds %q, want %q (%v)", got, want, err)
		}
	}
	wantError(t, open("b", func(saved []byte) error { return fmt.Errorf("%q is not b", saved) }), `"a: 1\n" is not b`)
	written("edited")
	if err := open("b", func([]byte) error { return nil }); err != nil {
		t.Error(err)
	}
	written("b")
	if err := open("a: 1\n", func([]byte) error { return errors.New("asked for no reason") }); err != nil {
		t.Error(err)
	}
	written("a: 1\n")

	// The next checkpoint has the configuration that the run went on with.
	r := newRun()
	r.yaml, r.cfg.Iterations = "c", r.cfg.Iterations+1
	if err := r.in(t, path); err != nil {
		t.Fatal(err)
	}
	wantError(t, open("b", func(saved []byte) error { return fmt.Errorf("%q is not b", saved) }), `"c" is not b`)
}

// A directory that belongs to another run is refused and left as it is.
func TestDirOfAnotherRun(t *testing.T) {
	path, files := undisturbed(t)
	d := openTestDir(t, path)
	defer d.Close()
	mine := Setup{Config: testConfig(), Game: "tictactoe", Seed: testSeed, Weights: testWeights(), Dir: d, Window: testWindow(), Judge: &fakeJudge{}}
	for problem, change := range map[string]func(s *Setup){
		"is of tictactoe with seed 5, it cannot go on with connect4": func(s *Setup) { s.Game = "connect4" },
		"it cannot go on with tictactoe and seed 6":                  func(s *Setup) { s.Seed = 6 },
		"cannot go on with a network of": func(s *Setup) {
			s.Weights = net.NewWeights(net.Default(), s.Weights.Shape, 1)
		},
		`train.optimizer "sgd"`:        func(s *Setup) { s.Config.Optimizer = "adamw" },
		"train.batch_size is 0":        func(s *Setup) { s.Config.BatchSize = 0 },
		"there is nobody to play them": func(s *Setup) { s.Judge = nil },
	} {
		other := mine
		other.Config.Keep = 1
		change(&other)
		_, err := New(t.Context(), other)
		wantError(t, err, problem)
	}
	wantSame(t, path, files)
}

func TestModelFile(t *testing.T) {
	path, _ := undisturbed(t)
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(path, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := func(name string) {
		t.Helper()
		if file, err := ModelFile(path); err != nil || file != filepath.Join(path, name) {
			t.Errorf("the newest model is %q (%v), want %s", file, err, name)
		}
	}
	want("model-00000003.safetensors")
	write("latest", "model-00000002.safetensors\n")
	want("model-00000002.safetensors")
	write("latest", "model-00000009.safetensors\n") // which is not there
	want("model-00000003.safetensors")
	write("latest", "gibberish\n")
	want("model-00000003.safetensors")
	write("model-00000003.safetensors", "gibberish")
	want("model-00000002.safetensors")

	write("model-00000002.safetensors", "gibberish")
	write("model-00000000.safetensors", "gibberish")
	_, err := ModelFile(path)
	wantError(t, err, "has no model that is intact")
	wantError(t, err, "model-00000003.safetensors")

	file := filepath.Join(path, "model-00000003.safetensors")
	if got, err := ModelFile(file); err != nil || got != file {
		t.Errorf("a file stands for %q (%v), want itself", got, err)
	}
	_, err = ModelFile(t.TempDir())
	wantError(t, err, "has no model")
	_, err = ModelFile(filepath.Join(path, "missing"))
	wantError(t, err, "there is no model file or run directory")
}
