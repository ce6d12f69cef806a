package net

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tengen/internal/kernel"
)

// conv3x3 is ReLU(conv(x) + bias + residual) with a padding of 1, [B*H*W, in] to [B*H*W, out]. residual may be nil.
func (b *builder) conv3x3(x, weight, bias, residual *gorgonia.Node) *gorgonia.Node {
	m, in, out := x.Shape()[0], x.Shape()[1], weight.Shape()[0]
	plan := kernel.NewConv(b.height, b.width, in, out)
	filter := make([]float32, plan.FilterSize())
	b.scratch(plan.Workspace())
	prepare := b.onChange(func(weight, _ []float32) { plan.TransformFilter(filter, weight, b.workspace) })
	inputs := []*gorgonia.Node{x, weight, bias}
	if residual != nil {
		inputs = append(inputs, residual)
	}
	return apply(&operation{
		name:  b.convName("Convolution"),
		shape: tensor.Shape{m, out},
		run: func(v [][]float32, y []float32) {
			prepare(v[1], v[2])
			var other []float32
			if residual != nil {
				other = v[3]
			}
			cells := b.images * b.height * b.width
			plan.Forward(y[:cells*out], v[0][:cells*in], filter, v[2], other, true, b.workspace)
		},
		diff: func(inputs gorgonia.Nodes, y, grad *gorgonia.Node) gorgonia.Nodes {
			grad = b.reluGradient(y, grad)
			gradients := gorgonia.Nodes{
				b.convInputGradient(inputs[1], grad),
				b.convWeightGradient(plan, inputs[0], grad, inputs[1].Shape()),
				b.biasGradient(grad),
			}
			if residual != nil {
				gradients = append(gradients, grad)
			}
			return gradients
		},
	}, inputs...)
}

// convInputGradient is the convolution of grad with the weight turned round, [B*H*W, in].
func (b *builder) convInputGradient(weight, grad *gorgonia.Node) *gorgonia.Node {
	m, in, out := grad.Shape()[0], weight.Shape()[1], weight.Shape()[0]
	plan := kernel.NewConv(b.height, b.width, out, in)
	filter := make([]float32, plan.FilterSize())
	b.scratch(plan.Workspace())
	prepare := b.onChange(func(weight, _ []float32) { plan.TransformFlipped(filter, weight, b.workspace) })
	return apply(&operation{
		name:  b.convName("ConvolutionInputGradient"),
		shape: tensor.Shape{m, in},
		run: func(v [][]float32, dx []float32) {
			prepare(v[0], nil)
			plan.Forward(dx, v[1], filter, nil, nil, false, b.workspace)
		},
	}, weight, grad)
}

// convWeightGradient has the shape of the weight.
func (b *builder) convWeightGradient(plan *kernel.Conv, x, grad *gorgonia.Node, shape tensor.Shape) *gorgonia.Node {
	return apply(&operation{
		name:  b.convName("ConvolutionWeightGradient"),
		shape: shape.Clone(),
		run: func(v [][]float32, dw []float32) {
			plan.WeightGradient(dw, v[0], v[1], b.workspace)
		},
	}, x, grad)
}

func (b *builder) convName(kind string) string {
	return fmt.Sprintf("%s %dx%d", kind, b.height, b.width)
}
