package files

import (
	"errors"
	"syscall"
	"time"
)

// retryFor is how long Retry repeats a call.
var retryFor = time.Minute

// Retry returns the result of open. While too many files are open, in this process or in the system, it repeats the
// call for up to a minute.
func Retry[T any](open func() (T, error)) (result T, err error) {
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		result, err = open()
		exhausted := errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
		if !exhausted || time.Since(begin) > retryFor {
			return result, err
		}
	}
}
