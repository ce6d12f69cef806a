package rundir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A copy waits for no checkpoint that nobody is going to write.
func TestCopyOfHalfARun(t *testing.T) {
	path := testRun(t)
	if err := os.RemoveAll(filepath.Join(path, stateFolder)); err != nil {
		t.Fatal(err)
	}
	_, err := Copy(t.Context(), path, filepath.Join(t.TempDir(), "copy"))
	wantError(t, err, "cannot copy the run in "+path)
	wantError(t, err, stateFolder)
}

// A run whose models have been removed is not copied without them.
func TestCopyWithoutItsModel(t *testing.T) {
	path := testRun(t)
	for _, n := range []int{2, 3} {
		remove(t, layout(path).model(n))
	}
	_, err := Copy(t.Context(), path, filepath.Join(t.TempDir(), "copy"))
	wantError(t, err, "cannot copy the run in "+path)
	wantError(t, err, ModelName(2)+", the model of its checkpoint, is not there")
}

func TestCopyIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Copy(ctx, testRun(t), filepath.Join(t.TempDir(), "copy")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The copy of a run that keeps one model has the model of its checkpoint, however fast the run goes on.
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
		iteration, err := Copy(t.Context(), path, string(to))
		if err != nil {
			t.Fatal(err)
		}
		if m, err := LoadNewest(string(to)); err != nil || m.Iteration != iteration {
			t.Errorf("the copy of iteration %d has the model %+v, %v", iteration, m, err)
		}
	}
}
