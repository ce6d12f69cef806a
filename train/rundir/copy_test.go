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

func TestCopyIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Copy(ctx, testRun(t), filepath.Join(t.TempDir(), "copy")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
