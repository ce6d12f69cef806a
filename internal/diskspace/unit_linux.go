package diskspace

import (
	"cmp"

	"golang.org/x/sys/unix"
)

// unit is the size of the blocks that a disk is counted in, which need not be that in which it is best written.
func unit(s *unix.Statfs_t) uint64 { return cmp.Or(uint64(s.Frsize), uint64(s.Bsize)) }
