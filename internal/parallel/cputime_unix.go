//go:build unix

package parallel

import (
	"syscall"
	"time"
)

// CPUTime returns the processor time that this process has used, user and system, summed over all cores.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
