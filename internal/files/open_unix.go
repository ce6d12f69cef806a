//go:build unix

package files

import "syscall"

const noFollow = syscall.O_NOFOLLOW // opening a link fails

// MaxOpen returns how many files and connections together this process may have open at a time.
func MaxOpen() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return unlimited
	}
	return int(min(uint64(l.Cur), unlimited))
}
