package gamesdb

import "golang.org/x/sys/unix"

// remoteTypes has the magic numbers of file systems that machines may share, see statfs(2).
var remoteTypes = map[uint32]bool{
	0x6969:     true, // NFS
	0x517b:     true, // SMB
	0xfe534d42: true, // SMB2
	0xff534d42: true, // CIFS
	0x01021997: true, // 9P
	0x00c36400: true, // Ceph
	0x65735546: true, // FUSE: sshfs, GlusterFS and others
	0x0bd00bd0: true, // Lustre
	0x47504653: true, // GPFS
	0x5346414f: true, // AFS
}

// remote reports whether a path is known to be on a network file system.
func remote(path string) bool {
	var s unix.Statfs_t
	return unix.Statfs(path, &s) == nil && remoteTypes[uint32(s.Type)]
}
