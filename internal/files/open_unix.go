//go:build unix

package files

import "syscall"

// careful is added to the flags of every open file: opening a link fails, and opening a pipe does not wait.
const careful = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
