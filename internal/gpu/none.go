//go:build !(darwin || windows || (linux && gpu))

package gpu

import (
	"errors"
	"runtime"
)

// OpenCL is a driver without devices.
var OpenCL Driver = none{}

type none struct{ Driver }

// Devices returns an error that says why.
func (none) Devices() ([]Info, error) {
	if runtime.GOOS == "linux" {
		return nil, errors.New("this program is built without graphics cards: build it with go build -tags gpu ./cmd/tengen, or choose the processor with --set compute.device=cpu")
	}
	return nil, errors.New("graphics cards are used on Linux, Windows and macOS only")
}
