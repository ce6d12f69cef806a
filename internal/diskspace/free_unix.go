//go:build linux || darwin || freebsd

package diskspace

import "golang.org/x/sys/unix"

// Free is the number of bytes that a user without special rights can still write to the disk that holds a file or folder. The error
// is that of the system.
func Free(path string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return uint64(max(int64(s.Bavail), 0)) * unit(&s), nil
}
