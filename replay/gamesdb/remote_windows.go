package gamesdb

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// remote reports whether a file or folder is on a network file system, as far as that can be told.
func remote(path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	return err == nil && windows.GetDriveType(root) == windows.DRIVE_REMOTE
}
