package run

import (
	"fmt"

	"tengen/net"
)

// Devices describes this machine's devices, in the order of compute.device, and the result of their test with the
// default network.
func Devices() (facts Facts, err error) {
	cfg := DefaultConfig()
	e, err := Open(cfg.Game)
	if err != nil {
		return nil, err
	}
	all, err := net.Devices(cfg.Net, e.shape())
	if err != nil {
		return nil, err
	}
	for i, d := range all {
		name, kind := fmt.Sprintf("gpu:%d", i), "processor"
		if d.GPU {
			kind = "graphics card"
		}
		result := "computes as this processor does"
		if d.Problem != nil {
			result = "cannot be used: " + d.Problem.Error()
		}
		facts.add(name, "%s, a %s with %.1f GB, OpenCL driver %s", d.Name, kind, float64(d.Memory)/1e9, d.Driver)
		facts.add(name, "%s", result)
	}
	return facts, nil
}
