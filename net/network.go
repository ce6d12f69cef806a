package net

import (
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tengen/game"
)

// network is the graph from planes to logits and value. Its inputs, planes and params, are bound to tensors of zeros for
// the caller to fill.
type network struct {
	graph  *gorgonia.ExprGraph
	planes *gorgonia.Node   // [batch, game.Planes, H, W]
	params []*gorgonia.Node // in the order of layers, weight and bias in turn
	logits *gorgonia.Node   // [batch, actions]
	value  *gorgonia.Node   // [batch], in [-1, 1]
}

// newNetwork builds the graph in numbers of type dt: float32, or float64 for checking gradients.
func newNetwork(cfg Config, shape Shape, batch int, dt tensor.Dtype) *network {
	n := &network{graph: gorgonia.NewGraph()}
	n.planes = input(n.graph, dt, "planes", batch, game.Planes, shape.Height, shape.Width)

	of := make(map[string]affine) // by the layer's name
	for _, l := range layers(cfg, shape) {
		params := l.params()
		p := affine{
			weight: input(n.graph, dt, params[0].Name, params[0].Shape...),
			bias:   input(n.graph, dt, params[1].Name, params[1].Shape...),
		}
		n.params = append(n.params, p.weight, p.bias)
		of[l.name] = p
	}

	x := n.planes
	for i := range cfg.Stack {
		x = conv3x3(x, of[stackName(i)], nil)
	}
	if len(cfg.Stack) == 0 {
		x = conv3x3(x, of[stemName], nil)
		for i := range cfg.Blocks {
			y := conv3x3(x, of[blockName(i, 1)], nil)
			x = conv3x3(y, of[blockName(i, 2)], x)
		}
	}
	n.logits = dense(flatten(conv1x1(x, of[policyConv])), of[policyOut])
	v := relu(dense(flatten(conv1x1(x, of[valueConv])), of[valueHidden]))
	n.value = reshape(gorgonia.Must(gorgonia.Tanh(dense(v, of[valueOut]))), batch)
	return n
}

// input adds an input node, bound to a tensor of zeros.
func input(g *gorgonia.ExprGraph, dt tensor.Dtype, name string, shape ...int) *gorgonia.Node {
	zeros := tensor.New(tensor.Of(dt), tensor.WithShape(shape...))
	return gorgonia.NewTensor(g, dt, len(shape), gorgonia.WithName(name), gorgonia.WithShape(shape...), gorgonia.WithValue(zeros))
}

// output returns memory into which every run copies the value of a node, a float32 tensor. It belongs to the graph's
// construction, before newMachine.
func output(n *gorgonia.Node) []float32 {
	var into gorgonia.Value = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(n.Shape()...))
	gorgonia.Read(n, &into)
	return floats(into)
}

// scalarOutput is output for a scalar.
func scalarOutput(n *gorgonia.Node) *gorgonia.F32 {
	number := new(gorgonia.F32)
	var into gorgonia.Value = number
	gorgonia.Read(n, &into)
	return number
}

// floats is the memory of a float32 tensor.
func floats(v gorgonia.Value) []float32 { return v.Data().([]float32) }

// bind returns weights whose values are the memory of the graph's parameters: what is written to them, the graph sees.
func (n *network) bind(cfg Config, shape Shape) *Weights {
	w := &Weights{Config: cfg, Shape: shape, Params: newParams(cfg, shape)}
	for i := range w.Params {
		w.Params[i].Data = floats(n.params[i].Value())
	}
	return w
}
