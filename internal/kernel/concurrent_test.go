package kernel_test

import (
	"sync"
	"testing"

	"tengen/internal/kernel"
)

// TestPlanIsShared uses one plan, one filter and one input from several goroutines, each with memory of its own.
func TestPlanIsShared(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		c := drawConvolution(newRand(100), 7, 6, 19, 32, 6)
		var mem memory
		plan, filter, workspace := c.prepare(&mem, 0)
		wantY, wantDWeight := mem.floats(len(c.grad), 0), mem.floats(len(c.weight), 0)
		plan.Forward(wantY, c.x, filter, c.bias, nil, true, workspace)
		plan.WeightGradient(wantDWeight, nil, c.x, c.grad, workspace, 0, 1)

		const goroutines = 4
		var ys, dweights [goroutines][]float32
		var wait sync.WaitGroup
		for g := range goroutines {
			ys[g], dweights[g] = make([]float32, len(c.grad)), make([]float32, len(c.weight))
			wait.Go(func() {
				workspace := make([]float32, kernel.NewConv(7, 6, 19, 32).Workspace())
				for range 3 {
					plan.Forward(ys[g], c.x, filter, c.bias, nil, true, workspace)
					plan.WeightGradient(dweights[g], nil, c.x, c.grad, workspace, 0, 1)
				}
			})
		}
		wait.Wait()
		for g := range goroutines {
			sameBits(t, "y", ys[g], wantY)
			sameBits(t, "dweight", dweights[g], wantDWeight)
		}
	})
}
