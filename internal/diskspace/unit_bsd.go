//go:build darwin || freebsd

package diskspace

import "golang.org/x/sys/unix"

// unit is the size of the blocks that a disk is counted in.
func unit(s *unix.Statfs_t) uint64 { return uint64(s.Bsize) }
