package gamesdb

import "golang.org/x/sys/unix"

// remote reports whether a path is known to be on a network file system.
func remote(path string) bool {
	var s unix.Statfs_t
	return unix.Statfs(path, &s) == nil && s.Flags&unix.MNT_LOCAL == 0
}
