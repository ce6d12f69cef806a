package kernel_test

import (
	"testing"

	"tengen/internal/kernel"
)

func TestNothingAllocates(t *testing.T) {
	const height, width, in, out, batch = 7, 6, 17, 24, 5
	c := drawConvolution(newRand(90), height, width, in, out, batch)
	plan := kernel.NewConv(height, width, in, out)
	back := kernel.NewConv(height, width, out, in)
	filter, workspace := make([]float32, plan.FilterSize()), make([]float32, plan.Workspace())
	flipped, backspace := make([]float32, back.FilterSize()), make([]float32, back.Workspace())
	y, dweight := make([]float32, len(c.grad)), make([]float32, len(c.weight))
	patches := make([]float32, 9*len(c.x))

	const m = height * width * batch
	packed, padded := make([]float32, in*kernel.Pad(out)), make([]float32, kernel.Pad(out))
	scratch, sums := make([]float32, kernel.DenseScratch(m, out)), make([]float32, in)
	eachSet(t, func(t *testing.T) {
		for name, f := range map[string]func(){
			"TransformFilter":  func() { plan.TransformFilter(filter, c.weight, workspace, 0, 1) },
			"TransformFlipped": func() { back.TransformFlipped(flipped, c.weight, backspace, 0, 1) },
			"Forward":          func() { plan.Forward(y, c.x, filter, c.bias, c.residual, true, workspace) },
			"WeightGradient":   func() { plan.WeightGradient(dweight, nil, c.x, c.grad, workspace, 0, 1) },
			"Multiply":         func() { kernel.Multiply(m, out, in, c.x, in, 1, c.weight, out, y, out) },
			"MultiplyAdd":      func() { kernel.MultiplyAdd(m, out, in, c.x, in, 1, c.weight, out, y, out) },
			"PackDense":        func() { kernel.PackDense(in, out, c.weight, c.bias, packed, padded, 0, 1) },
			"Dense":            func() { kernel.Dense(m, in, out, c.x, packed, padded, y, true, scratch) },
			"SumRows":          func() { kernel.SumRows(m, in, c.x, sums) },
			"ReLUGradient":     func() { kernel.ReLUGradient(y, c.residual, c.grad) },
			"Patches":          func() { kernel.Patches(patches, c.x, in, height, width) },
		} {
			if n := testing.AllocsPerRun(5, f); n != 0 {
				t.Errorf("%s allocates %v times", name, n)
			}
		}
	})
}
