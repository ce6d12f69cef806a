//go:build unix

package files

import "syscall"

// careful is added to the flags of every open file: opening a link fails, and opening a pipe does not wait.
const careful = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// MaxOpen returns how many files and connections together this process may have open at a time.
func MaxOpen() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return unlimited
	}
	return int(min(uint64(l.Cur), unlimited))
}
