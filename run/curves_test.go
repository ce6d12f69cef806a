package run

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"tengen/train"
	"tengen/train/checkpoint"
	"tengen/train/tensorboard"
)

// trainTiny trains or continues a run until it has 5 iterations or this process ends iteration stopAfter.
func trainTiny(t *testing.T, dir string, stopAfter int, assignments ...string) {
	t.Helper()
	cfg := tinyConfig(t)
	cfg.Train.Iterations = 5
	for _, a := range assignments {
		cfg = cfg.With(map[string]any{a: true})
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	training, err := Train(ctx, TrainConfig{Config: cfg, Dir: dir, Warn: func(err error) { t.Error(err) }, Observe: func(e train.Event) {
		if e.Phase == train.PhaseDone && e.Iteration == stopAfter {
			stop()
		}
	}})
	noError(t, err)
	if err := training.Run(ctx); ctx.Err() == nil && err != nil || training.Close() != nil {
		t.Error(err)
	}
}

// recorded returns the contents and names of a run's event files.
func recorded(t *testing.T, dir string) (all []byte, files []string) {
	t.Helper()
	files, err := tensorboard.Files(dir)
	noError(t, err)
	for _, name := range files {
		content, err := os.ReadFile(name)
		noError(t, err)
		all = append(all, content...)
	}
	return all, files
}

// Event files have every iteration once, even after a torn one and those from before the key was set. They do not change
// the models.
func TestRunRecordsItsCurves(t *testing.T) {
	plain, dir := t.TempDir(), t.TempDir()
	trainTiny(t, plain, 0)
	trainTiny(t, dir, 1)
	if _, files := recorded(t, dir); len(files) > 0 {
		t.Errorf("event files without train.tensorboard: %q", files)
	}
	trainTiny(t, dir, 3, "train.tensorboard")
	_, files := recorded(t, dir)
	if len(files) != 1 {
		t.Fatalf("files %q", files)
	}
	if info, err := os.Stat(files[0]); err != nil || os.Truncate(files[0], info.Size()-5) != nil {
		t.Fatal(err)
	}
	trainTiny(t, dir, 0, "train.tensorboard")

	all, files := recorded(t, dir)
	const whole, torn = 5, 1
	if n := bytes.Count(all, []byte("learning/models/ended")); n != whole+torn || len(files) != 2 {
		t.Errorf("%d iterations in %q, want %d and the torn one", n, files, whole)
	}
	if n := bytes.Count(all, []byte("game: tictactoe")); n != 1 {
		t.Errorf("the configuration is there %d times", n)
	}
	if last, err := tensorboard.LastStep(dir); err != nil || last != 5*8 {
		t.Errorf("the last step is %d, %v", last, err)
	}
	for i := range 6 {
		want, err := os.ReadFile(filepath.Join(plain, checkpoint.ModelName(i)))
		noError(t, err)
		if got, err := os.ReadFile(filepath.Join(dir, checkpoint.ModelName(i))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("model %d differs, %v", i, err)
		}
	}
}
