package checkpoint

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestModels(t *testing.T) {
	path := testRun(t)
	metrics, err := os.OpenFile(filepath.Join(path, metricsFile), os.O_APPEND|os.O_WRONLY, 0)
	noError(t, err)
	metrics.WriteString(`{"iteration":4,"torn`)
	metrics.Close()

	lines, err := ReadMetrics(path)
	if err != nil || len(lines) != 3 {
		t.Fatalf("%d lines of metrics, error %v; want 3", len(lines), err)
	}
	all, err := SpreadModels(path, 9)
	if err != nil || len(all) != 3 {
		t.Fatalf("models %+v (%v), want 3", all, err)
	}
	files, err := ModelFiles(path)
	if err != nil || len(files) != 3 || files[2] != (PublishedModel{Iteration: 3, File: all[2].File}) {
		t.Errorf("files of models %+v (%v)", files, err)
	}
	if info, err := os.Stat(filepath.Join(path, metricsFile)); err != nil || MetricsSize(path) != info.Size() || MetricsSize(t.TempDir()) != 0 {
		t.Errorf("the metrics have %d bytes (%v)", MetricsSize(path), err)
	}
	for i, want := range []PublishedModel{
		{Iteration: 0, Games: 0},
		{Iteration: 2, Games: 6},
		{Iteration: 3, Games: 9},
	} {
		want.File = filepath.Join(path, ModelName(want.Iteration))
		if all[i] != want {
			t.Errorf("model %+v, want %+v", all[i], want)
		}
		if _, err := os.Stat(all[i].File); err != nil {
			t.Error(err)
		}
	}
}

// Games 0 to 5 were played by model 0, as iteration 1 published none. A model of another run does not play them again, and
// neither does a damaged one.
func TestPlayedBy(t *testing.T) {
	path := testRun(t)
	playedBy := PlayedBy(path, 3)
	for game, want := range []int{0, 0, 0, 0, 0, 0, 2, 2, 2} {
		model, w, err := playedBy(uint64(game))
		if err != nil || int(model) != want || !reflect.DeepEqual(w, testWeights(want)) {
			t.Errorf("game %d: model %d, error %v; want model %d and its weights", game, model, err, want)
		}
	}
	metrics, err := os.ReadFile(MetricsFile(path))
	noError(t, err)
	remove(t, MetricsFile(path)) // the lines are read once, however many games are asked for
	if _, _, err := playedBy(4); err != nil {
		t.Error(err)
	}
	noError(t, os.WriteFile(MetricsFile(path), metrics, 0o644))
	if _, _, err := playedBy(9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error about a game after the end is %v", err)
	}
	lines := slices.Collect(bytes.Lines(metrics))
	rewrite(t, MetricsFile(path), string(lines[2])) // those before are lost
	playedBy = PlayedBy(path, 3)
	if _, _, err := playedBy(5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error about a game of a lost line is %v", err)
	}
	if model, _, err := playedBy(6); model != 2 || err != nil {
		t.Errorf("after lost lines, game 6 is of model %d (%v), want 2", model, err)
	}
	noError(t, os.WriteFile(MetricsFile(path), metrics, 0o644))
	saveOther(t, path, 0)
	_, _, err = PlayedBy(path, 3)(0)
	wantError(t, err, ModelName(0)+" is the model of another run: its SHA-256 is ")
	flip(t, layout(path).model(2), 9999)
	_, _, err = PlayedBy(path, 3)(6)
	wantError(t, err, "damaged")
}

// saveOther replaces an iteration's model by another run's.
func saveOther(t *testing.T, path string, iteration int) {
	t.Helper()
	other := testModel(Published{ModelFile: ModelFile{Iteration: iteration}})
	other.Weights = testWeights(9)
	noError(t, other.Save(layout(path).model(iteration)))
}

// A run's model file is recognized by its SHA-256. Damaged ones, and those that nothing is known of, accuse nobody. A link is
// no model of the run.
func TestCheckModels(t *testing.T) {
	path := testRun(t)
	c, err := layout(path).readCheckpoint(3)
	noError(t, err)
	known := c.KnownModels(path)
	if err := CheckModels(path, known); err != nil || len(known) != 3 {
		t.Errorf("%d models are known; %v", len(known), err)
	}
	flip(t, layout(path).model(2), 9999)
	if err := CheckModels(path, known); err != nil {
		t.Errorf("with a damaged model: %v", err)
	}
	saveOther(t, path, 0)
	if err := CheckModels(path, known); !errors.Is(err, ErrOtherModel) {
		t.Errorf("with another run's model: %v", err)
	}
	rewrite(t, MetricsFile(path), "")
	if known := c.KnownModels(path); len(known) != 2 || CheckModels(path, known) != nil {
		t.Errorf("without metrics, %d models are known, want the checkpoint's two", len(known))
	}
	if err := os.Symlink(layout(path).model(2), layout(path).model(8)); err != nil {
		t.Skip(err)
	}
	if all, err := ModelFiles(path); err != nil || len(all) != 3 {
		t.Errorf("models %+v (%v), want three", all, err)
	}
}

func TestModelsOfNoRun(t *testing.T) {
	_, err := SpreadModels(t.TempDir(), 9)
	wantError(t, err, "has no model")
	_, err = SpreadModels(filepath.Join(t.TempDir(), "missing"), 9)
	wantError(t, err, "missing")
}

func TestLoadNewest(t *testing.T) {
	path := testRun(t)
	write := func(name, content string) { rewrite(t, filepath.Join(path, name), content) }
	want := func(path string, iteration int) {
		t.Helper()
		m, file, err := LoadNewest(path)
		if err != nil || m.Iteration != iteration || filepath.Base(file) != ModelName(iteration) {
			t.Errorf("the newest model is %+v in %q (%v), want that of iteration %d", m, file, err, iteration)
		}
	}
	fails := func(path, part string) {
		t.Helper()
		_, _, err := LoadNewest(path)
		wantError(t, err, part)
	}
	want(path, 3)
	write("latest", "model-00000002.safetensors\n")
	want(path, 2)
	want(filepath.Join(path, "model-00000003.safetensors"), 3)
	write("latest", "gibberish\n")
	want(path, 3)
	fails(t.TempDir(), "has no model")
	fails(filepath.Join(path, "missing"), "there is no model file or run directory")

	// No older model takes the place of one that is damaged or lost.
	write("model-00000003.safetensors", "gibberish")
	fails(path, "model-00000003.safetensors: it is ")
	fails(path, ": `tengen train --run "+path+"` writes it again; "+filepath.Join(path, ModelName(2))+" is intact")
	write("model-00000002.safetensors", "gibberish")
	fails(path, "; "+filepath.Join(path, ModelName(0))+" is intact")
	write("model-00000000.safetensors", "gibberish")
	fails(path, "writes it again")
	removed := os.RemoveAll(filepath.Join(path, stateFolder))
	if _, _, err := LoadNewest(path); removed != nil || err == nil || strings.Contains(err.Error(), "writes it again") {
		t.Errorf("without a checkpoint, the error is %v", err)
	}
	write("latest", "model-00000009.safetensors\n")
	fails(path, "model-00000009.safetensors: no such file")
}

func TestSpreadModels(t *testing.T) {
	run := testRun(t)
	for n, want := range map[int][]int{1: {3}, 2: {0, 3}, 3: {0, 2, 3}, 9: {0, 2, 3}} {
		models, err := SpreadModels(run, n)
		var got []int
		for _, m := range models {
			got = append(got, m.Iteration)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d models: iterations %v, %v; want %v", n, got, err, want)
		}
	}
}
