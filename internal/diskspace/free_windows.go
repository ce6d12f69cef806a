package diskspace

import "golang.org/x/sys/windows"

// Free is the number of bytes that this user can still write to the disk that holds a folder. The error is that of the system.
func Free(path string) (free uint64, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	return free, windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
}
