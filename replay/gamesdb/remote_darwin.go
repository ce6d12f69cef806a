package gamesdb

import "golang.org/x/sys/unix"

// remote reports whether a file or folder is on a network file system, as far as that can be told.
func remote(path string) bool {
	var s unix.Statfs_t
	return unix.Statfs(path, &s) == nil && s.Flags&unix.MNT_LOCAL == 0
}
