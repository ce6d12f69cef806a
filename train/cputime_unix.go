//go:build unix

package train

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used, user and system, summed over all cores.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
