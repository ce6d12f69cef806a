//go:build unix

package checkpoint

import (
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Metrics are appended although, for a while, no file can be opened.
func TestMetricsWhileNoFileOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := layout(t.TempDir())
		var before syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
			t.Skip(err)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 1, Max: before.Max}); err != nil {
			t.Skip(err)
		}
		free := time.AfterFunc(100*time.Millisecond, func() { syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before) })
		err := l.appendMetrics([]byte(`{"iteration":1}`))
		if free.Stop() {
			syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
			t.Error("the limit had no effect")
		}
		noError(t, err)
	})
}
