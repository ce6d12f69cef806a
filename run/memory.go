package run

import (
	"github.com/KimMachineGun/automemlimit/memlimit"

	"tengen/engine"
	"tengen/internal/printable"
	"tengen/net"
)

// memoryLimit returns the bytes of physical memory or, if that is less, the limit of a control group around this process,
// as containers and systemd set it. It returns 0 if both are unknown. Tests set another.
var memoryLimit = func() int64 {
	least := int64(0)
	for _, limit := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		if bytes, err := limit(); err == nil && bytes > 0 && (least == 0 || int64(bytes) < least) {
			least = int64(bytes)
		}
	}
	return least
}

// CheckMemory returns an InputError if training c's network takes more than half of the memory that this process may
// use, so that nobody waits for a network that cannot fit. It allocates nothing for the network.
func CheckMemory(c Config) error {
	e, err := Open(c.Game)
	if err != nil {
		return err
	}
	// A weight is held by three models, two gradients, two moments and the average.
	const copies = 8
	shape, layers := e.shape(), 2*c.Net.Blocks+1
	parameters := net.Parameters(c.Net, shape)
	activations := shape.Height * shape.Width * c.Net.Channels * layers * c.Train.BatchSize
	need, limit := 4*int64(copies*parameters+2*activations), memoryLimit()
	if limit > 0 && need > limit/2 {
		return engine.InputErrorf("a network of %s takes at least %.1f GB to train in batches of %d, more than half of the %.1f GB of memory here: "+
			"lower net.channels, net.blocks or train.batch_size", printable.Plural(parameters, "parameter"), float64(need)/1e9, c.Train.BatchSize, float64(limit)/1e9)
	}
	return nil
}
