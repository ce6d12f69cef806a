package files

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"
	"time"
)

// A call that fails because too many files are open is repeated, but not for ever; other errors count at once.
func TestOpen(t *testing.T) {
	defer func(usual time.Duration) { retryFor = usual }(retryFor)
	calls := 0
	failing := func(err error, times int) func() (int, error) {
		calls = 0
		return func() (int, error) {
			if calls++; calls <= times {
				return 0, &fs.PathError{Op: "open", Path: "a", Err: err}
			}
			return calls, nil
		}
	}
	for _, exhausted := range []error{syscall.EMFILE, syscall.ENFILE} {
		retryFor = time.Minute
		if n, err := Retry(failing(exhausted, 2)); n != 3 || err != nil {
			t.Errorf("after two times %v: %d, %v", exhausted, n, err)
		}
		retryFor = 0
		if _, err := Retry(failing(exhausted, 10)); !errors.Is(err, exhausted) {
			t.Errorf("without time for it: %v, want %v", err, exhausted)
		}
	}
	retryFor = time.Minute
	if _, err := Retry(failing(fs.ErrNotExist, 1)); !errors.Is(err, fs.ErrNotExist) || calls != 1 {
		t.Errorf("after %d calls: %v, want %v at once", calls, err, fs.ErrNotExist)
	}
}
