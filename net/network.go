package net

import (
	"sync"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// network is the graph from planes to logits and value. Its inputs, planes and params, are bound to tensors of zeros for
// the caller to fill.
type network struct {
	graph   *gorgonia.ExprGraph
	salt    string
	builder *builder
	version *uint64 // to be changed with the parameters, see builder

	planes *gorgonia.Node   // [batch, planes, H, W]
	params []*gorgonia.Node // in the order of layers, weight and bias in turn
	trunk  *gorgonia.Node   // [batch*H*W, channels]
	logits *gorgonia.Node   // [batch, actions]
	value  *gorgonia.Node   // [batch], in [-1, 1]
}

// building guards the construction of graphs: Gorgonia keeps state of the whole process while it builds one.
var building sync.Mutex

// newNetwork builds the graph. See distinct for the salt.
func newNetwork(cfg Config, shape Shape, batch int, salt string) *network {
	n := &network{graph: gorgonia.NewGraph(), salt: salt, version: new(uint64)}
	n.builder = &builder{height: shape.Height, width: shape.Width, images: batch, version: n.version}
	n.planes = n.input("planes", batch, shape.Planes, shape.Height, shape.Width)

	type affine struct{ weight, bias *gorgonia.Node }
	of := make(map[string]affine) // by the layer's name
	for _, l := range layers(cfg, shape) {
		params := l.params()
		p := affine{n.input(params[0].Name, params[0].Shape...), n.input(params[1].Name, params[1].Shape...)}
		n.params = append(n.params, p.weight, p.bias)
		of[l.name] = p
	}
	dense := func(x *gorgonia.Node, name string, then activation) *gorgonia.Node {
		return n.builder.dense(x, of[name].weight, of[name].bias, then)
	}
	conv3x3 := func(x *gorgonia.Node, name string, residual *gorgonia.Node) *gorgonia.Node {
		return n.builder.conv3x3(x, of[name].weight, of[name].bias, residual)
	}
	// features makes a row of each image out of the results of a 1x1 convolution, cell by cell.
	features := func(x *gorgonia.Node, name string) *gorgonia.Node {
		y := dense(x, name, rectifier)
		return reshape(y, batch, shape.Height*shape.Width*y.Shape()[1])
	}

	first, rest := stemName, []string(nil)
	if len(cfg.Stack) > 0 {
		first = stackName(0)
		for i := range cfg.Stack[1:] {
			rest = append(rest, stackName(i+1))
		}
	}
	x := n.builder.stem(n.planes, of[first].weight, of[first].bias)
	for _, name := range rest {
		x = conv3x3(x, name, nil)
	}
	if len(cfg.Stack) == 0 {
		for i := range cfg.Blocks {
			x = conv3x3(conv3x3(x, blockName(i, 1), nil), blockName(i, 2), x)
		}
	}
	n.trunk = x
	n.logits = dense(features(x, policyConv), policyOut, linear)
	v := dense(features(x, valueConv), valueHidden, rectifier)
	n.value = reshape(dense(v, valueOut, tanh), batch)
	return n
}

// input adds an input node, bound to a tensor of zeros.
func (n *network) input(name string, shape ...int) *gorgonia.Node {
	zeros := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(shape...))
	return gorgonia.NewTensor(n.graph, tensor.Float32, len(shape),
		gorgonia.WithName(name+n.salt), gorgonia.WithShape(shape...), gorgonia.WithValue(zeros))
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
