//go:build darwin || (linux && gpu)

package gpu

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/ebitengine/purego"
)

// loadLibrary loads OpenCL's loader.
func loadLibrary() (uintptr, error) {
	names := []string{"libOpenCL.so.1", "/usr/local/nvidia/lib64/libOpenCL.so.1"}
	if runtime.GOOS == "darwin" {
		names = []string{"/System/Library/Frameworks/OpenCL.framework/OpenCL"}
	}
	var problems []error
	for _, name := range names {
		library, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return library, nil
		}
		problems = append(problems, err)
	}
	return 0, fmt.Errorf("there is no OpenCL on this machine: on Debian and Ubuntu, install ocl-icd-libopencl1 and the card's driver (%w)",
		errors.Join(problems...))
}

func symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }
