//go:build !(darwin || windows || (linux && gpu))

package gpu

import (
	"errors"
	"runtime"
)

// openCL of a program that is linked statically has no devices.
var openCL driver = none{}

type none struct{ driver }

func (none) devices() ([]Info, error) {
	if runtime.GOOS == "linux" {
		return nil, errors.New("this program is built without graphics cards: build it with go build -tags gpu ./cmd/tengen")
	}
	return nil, errors.New("graphics cards are used on Linux, Windows and macOS only")
}
