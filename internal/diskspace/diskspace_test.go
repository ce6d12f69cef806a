package diskspace

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestFree(t *testing.T) {
	free, err := Free(t.TempDir())
	if errors.Is(err, ErrUnknown) {
		t.Skip(err)
	}
	if err != nil || free == 0 || free > 1<<60 {
		t.Errorf("%d bytes are free, %v", free, err)
	}
	if _, err := Free(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("there is room in a folder that is absent")
	}
}
