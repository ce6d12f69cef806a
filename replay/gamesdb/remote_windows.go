package gamesdb

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// remote reports whether a path is known to be on a network file system.
func remote(path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	return err == nil && windows.GetDriveType(root) == windows.DRIVE_REMOTE
}
