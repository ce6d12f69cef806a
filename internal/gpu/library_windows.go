package gpu

import (
	"fmt"
	"syscall"
)

// loadLibrary loads OpenCL's loader, which the card's driver installs.
func loadLibrary() (uintptr, error) {
	library, err := syscall.LoadLibrary("OpenCL.dll")
	if err != nil {
		return 0, fmt.Errorf("there is no OpenCL on this machine: install the card's driver (%w)", err)
	}
	return uintptr(library), nil
}

func symbol(library uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(library), name)
}
