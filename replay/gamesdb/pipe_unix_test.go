//go:build unix

package gamesdb

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in the place of the lock file keeps no reader waiting.
func TestLockThatIsAPipe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	if err := syscall.Mkfifo(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if lock, err := shareLock(file); err == nil && lock != nil {
		if err := lock.Unlock(); err != nil {
			t.Error(err)
		}
	}
}
