package memory

import "golang.org/x/sys/unix"

// Limit returns the bytes of physical memory, 0 if they are unknown.
func Limit() int64 {
	bytes, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(bytes)
}
