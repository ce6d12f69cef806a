//go:build darwin || windows || (linux && gpu)

package gpu

import (
	"strings"
	"testing"

	"github.com/ebitengine/purego"
)

// A driver that reports success but returns no object has failed.
func TestNullHandle(t *testing.T) {
	handle := uintptr(0)
	create := purego.NewCallback(func(_ uintptr, s *status) uintptr {
		*s = 0
		return handle
	})
	l := library{function: map[string]uintptr{"clCreateThing": create}}
	if h, err := l.create("clCreateThing", 1); err == nil || !strings.Contains(err.Error(), "returns nothing from clCreateThing") {
		t.Errorf("handle %d, error %v", h, err)
	}
	handle = 5
	if h, err := l.create("clCreateThing", 1); h != 5 || err != nil {
		t.Errorf("handle %d, error %v", h, err)
	}
}
