package checkpoint

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// complete says that all games are there.
func complete(*Checkpoint) (bool, error) { return true, nil }

// If the run has dropped games that a checkpoint needs, a newer checkpoint is copied. If there is none, the games are really lost.
func TestCopyOfACheckpointWithItsGames(t *testing.T) {
	path := testRun(t)
	var seen []int
	iteration, err := Copy(t.Context(), path, filepath.Join(t.TempDir(), "copy"), func(c *Checkpoint) (bool, error) {
		seen = append(seen, c.Iteration)
		if len(seen) > 1 {
			return false, nil
		}
		return false, (&process{iterations: c.Iteration + 1, config: "a: 1\n", keep: 2}).in(path)
	})
	if err != nil || len(seen) != 2 || iteration != seen[0]+1 {
		t.Errorf("the copy is of iteration %d, seen were %v; %v", iteration, seen, err)
	}
	failed := errors.New("no games")
	_, err = Copy(t.Context(), path, filepath.Join(t.TempDir(), "copy"), func(*Checkpoint) (bool, error) { return false, failed })
	if !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
}

// A copy waits for no checkpoint that no one is going to write.
func TestCopyOfHalfARun(t *testing.T) {
	path := testRun(t)
	if err := os.RemoveAll(filepath.Join(path, stateFolder)); err != nil {
		t.Fatal(err)
	}
	_, err := Copy(t.Context(), path, filepath.Join(t.TempDir(), "copy"), complete)
	wantError(t, err, "cannot copy the run in "+path)
	wantError(t, err, stateFolder)
}

// A run whose models have been removed is not copied without them.
func TestCopyWithoutItsModel(t *testing.T) {
	path := testRun(t)
	for _, n := range []int{2, 3} {
		remove(t, layout(path).model(n))
	}
	_, err := Copy(t.Context(), path, filepath.Join(t.TempDir(), "copy"), complete)
	wantError(t, err, "cannot copy the run in "+path)
	wantError(t, err, ModelName(2)+", the model of its checkpoint, is missing")
}

func TestCopyIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Copy(ctx, testRun(t), filepath.Join(t.TempDir(), "copy"), complete); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The copy of a run that keeps one model has the model of its checkpoint, however fast the run continues.
func TestCopyHasItsModel(t *testing.T) {
	path := testRun(t)
	ended := make(chan error, 1)
	go func() { ended <- (&process{iterations: 60, config: "a: 1\n", keep: 1}).in(path) }()
	for going := true; going; {
		select {
		case err := <-ended:
			if going = false; err != nil {
				t.Fatal(err)
			}
		default:
		}
		to := layout(filepath.Join(t.TempDir(), "copy"))
		iteration, err := Copy(t.Context(), path, string(to), complete)
		if err != nil {
			t.Fatal(err)
		}
		if m, _, err := LoadNewest(string(to)); err != nil || m.Iteration != iteration {
			t.Errorf("the copy of iteration %d has the model %+v, %v", iteration, m, err)
		}
	}
}

// What Copy takes care of is all that a run has written, but for its lock, and nothing else.
func TestOwns(t *testing.T) {
	entries, err := os.ReadDir(testRun(t))
	if err != nil || len(entries) < 6 {
		t.Fatalf("the run has %v, error %v", entries, err)
	}
	for _, e := range entries {
		if Owns(e.Name()) != (e.Name() != LockFile) {
			t.Errorf("Copy takes care of %s: %v", e.Name(), Owns(e.Name()))
		}
	}
	for _, name := range []string{"notes.txt", "model.safetensors", "games", ""} {
		if Owns(name) {
			t.Errorf("Copy takes care of %q", name)
		}
	}
}

// A checkpoint that cannot be copied is an error, unlike the one before it.
func TestCopyNeedsTheCheckpoint(t *testing.T) {
	l, to := layout(testRun(t)), layout(t.TempDir())
	if _, err := l.copyCheckpoint(to); !errors.Is(err, fs.ErrNotExist) { // to has no folder for it
		t.Errorf("error %v", err)
	}
	if err := os.Mkdir(to.file(stateFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	remove(t, l.checkpoint(2))
	if c, err := l.copyCheckpoint(to); err != nil || c.Iteration != 3 {
		t.Errorf("checkpoint %+v, error %v; want that of iteration 3", c, err)
	}
}
