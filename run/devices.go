package run

import (
	"cmp"
	"fmt"

	"tengen/internal/gpu"
	"tengen/net"
)

// Devices describes this machine's devices, in the order of compute.device, and the result of their test with the
// default network.
func Devices() (facts Facts, err error) {
	all, err := gpu.List(gpu.OpenCL)
	if err != nil {
		return nil, err
	}
	cfg := DefaultConfig()
	e, err := Open(cfg.Game)
	if err != nil {
		return nil, err
	}
	for i, info := range all {
		name := fmt.Sprintf("gpu:%d", i)
		result := "computes as this processor does"
		device, err := gpu.Open(gpu.OpenCL, info, func(error) {})
		if err == nil {
			err = cmp.Or(net.CheckDevice(device, cfg.Net, e.shape()), net.CheckTraining(device, cfg.Net, e.shape()))
		}
		if err != nil {
			result = "cannot be used: " + err.Error()
		}
		kind := "processor"
		if info.GPU {
			kind = "graphics card"
		}
		facts.add(name, "%s, a %s with %.1f GB, OpenCL driver %s", info.Name, kind, float64(info.Memory)/1e9, info.Driver)
		facts.add(name, "%s", result)
	}
	return facts, nil
}
