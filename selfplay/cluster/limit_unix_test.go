//go:build unix

package cluster

import (
	"errors"
	"syscall"
	"testing"
)

// Strangers' connections leave a run the files that it needs. Other tests wait meanwhile, since the limit is the
// process's.
func TestFewOpenFiles(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Skip(err)
	}
	for open, want := range map[uint64]int{200: 50, before.Max: min(int(before.Max/4), maxConnections)} {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: open, Max: before.Max}); err != nil {
			t.Fatal(err)
		}
		o, err := (&Server{cfg: ServerConfig{Dir: t.TempDir(), Listen: "127.0.0.1:0"}}).options()
		if err = errors.Join(err, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)); err != nil {
			t.Fatal(err)
		}
		if o.MaxConn != want {
			t.Errorf("of %d files, %d are for connections, want %d", open, o.MaxConn, want)
		}
	}
}
