package gamesdb

import (
	"strings"
	"syscall"
	"testing"
)

// However small a full disk is, and whatever SQLite calls its error, the disk is named as full.
func TestDisksWithoutRoom(t *testing.T) {
	for _, size := range []string{"8k", "16k", "32k", "48k", "64k", "96k", "128k", "200k"} {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
			t.Skipf("only root can make a small disk: %v", err)
		}
		d, err := Open(t.Context(), dir, func(err error) { t.Error(err) })
		if err == nil {
			for n := uint64(0); err == nil && n < 2000; n++ {
				err = d.Put(t.Context(), by("w", testGame(n, 50))...)
			}
			d.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s: error %v", size, err)
		}
		noError(t, syscall.Unmount(dir, 0))
	}
}
