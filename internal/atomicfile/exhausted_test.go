//go:build unix

package atomicfile

import (
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A file is written although, for a while, no file can be opened. Within synctest the limit is lifted only when the
// writer waits.
func TestTooManyOpenFiles(t *testing.T) { synctest.Test(t, testTooManyOpenFiles) }

func testTooManyOpenFiles(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 1, Max: before.Max}); err != nil {
		t.Skip(err)
	}
	free := time.AfterFunc(100*time.Millisecond, func() { syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before) })
	err := WriteBytes(filepath.Join(dir, "file"), 0o644, []byte("content"))
	if free.Stop() {
		syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
		t.Error("the limit had no effect")
	}
	if err != nil {
		t.Fatal(err)
	}
	expect(t, dir, "content")
}
