package onnx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Tensor is a float32 input, constant or output of a node: images [batch, channels, height, width] or rows [batch, n].
type Tensor struct {
	Name  string
	Shape []Dim
	Data  []float32 // constants only, else nil
}

// Constant returns a tensor with known values. A graph includes it from its first use in a node.
func Constant(name string, shape []int, data []float32) *Tensor {
	t := &Tensor{Name: name, Data: data}
	for _, size := range shape {
		t.Shape = append(t.Shape, Dim{Size: size})
	}
	return t
}

// String returns text such as "planes [batch, 4, 6, 7]".
func (t *Tensor) String() string {
	var sizes []string
	for _, d := range t.Shape {
		sizes = append(sizes, d.String())
	}
	return t.Name + " [" + strings.Join(sizes, ", ") + "]"
}

func (t *Tensor) image() bool { return len(t.Shape) == 4 }

// cells returns an image's number of cells, 0 if its height or width is open.
func (t *Tensor) cells() int {
	if t.Shape[2].Name != "" || t.Shape[3].Name != "" {
		return 0
	}
	return t.Shape[2].Size * t.Shape[3].Size
}

// Dim is a tensor's size along an axis: a number, or the name of an open size, which the file's user chooses.
type Dim struct {
	Size int
	Name string
}

// String returns the name or the number.
func (d Dim) String() string {
	if d.Name != "" {
		return d.Name
	}
	return strconv.Itoa(d.Size)
}

type node struct {
	op         string
	name       string
	inputs     []*Tensor
	output     *Tensor
	attributes []attribute
}

type attribute struct {
	name   string
	values []int
	list   bool
}

// add adds a node and returns its output, which has the node's name.
func (g *Graph) add(op, name string, shape []Dim, attributes []attribute, inputs ...*Tensor) *Tensor {
	for _, x := range inputs {
		if x.Data != nil && !slices.Contains(g.constants, x) {
			g.constants = append(g.constants, x)
		}
	}
	output := &Tensor{Name: name, Shape: shape}
	g.nodes = append(g.nodes, node{op, name, inputs, output, attributes})
	return output
}

// Layer adds a convolution or a dense layer on x, with the weight "NAME.weight" and an optional bias, which is constant
// or computed for each image. The output is NAME.
//
// A weight [out, in, k, k] makes a convolution that keeps the board's size. A weight [out, in], ordered by cell, then
// channel, makes a 1x1 convolution of single-cell images or a dense layer.
func (g *Graph) Layer(x, weight *Tensor, bias ...*Tensor) *Tensor {
	if len(bias) > 0 && bias[0].Data == nil {
		return g.Add(g.Layer(x, weight), bias[0])
	}
	name := strings.TrimSuffix(weight.Name, ".weight")
	inputs := append([]*Tensor{x, weight}, bias...)
	switch {
	case len(weight.Shape) == 4:
		return g.convolution(name, inputs)
	case x.image() && x.cells() == 1:
		inputs[1] = &Tensor{weight.Name, append(slices.Clone(weight.Shape), Dim{Size: 1}, Dim{Size: 1}), weight.Data}
		return g.convolution(name, inputs)
	case x.image():
		inputs[0] = g.flatten(x, name+".flatten", "")
		inputs[1] = &Tensor{weight.Name, weight.Shape, byChannel(weight.Data, x.Shape[1].Size, x.cells())}
	}
	return g.add("Gemm", name, []Dim{x.Shape[0], weight.Shape[0]}, []attribute{{"transB", []int{1}, false}}, inputs...)
}

func (g *Graph) convolution(name string, inputs []*Tensor) *Tensor {
	x, weight := inputs[0].Shape, inputs[1].Shape
	kernel := weight[2].Size
	attributes := []attribute{{"kernel_shape", []int{kernel, kernel}, true}}
	if pad := kernel / 2; pad > 0 {
		attributes = append(attributes, attribute{"pads", []int{pad, pad, pad, pad}, true})
	}
	return g.add("Conv", name, []Dim{x[0], weight[0], x[2], x[3]}, attributes, inputs...)
}

// byChannel reorders each row of a weight from [cells, channels] to [channels, cells].
func byChannel(weight []float32, channels, cells int) []float32 {
	turned := make([]float32, 0, len(weight))
	for row := range slices.Chunk(weight, channels*cells) {
		for channel := range channels {
			for cell := range cells {
				turned = append(turned, row[cell*channels+channel])
			}
		}
	}
	return turned
}

// Apply adds an elementwise operator, such as "Relu".
func (g *Graph) Apply(op string, x *Tensor) *Tensor {
	return g.add(op, x.Name+"."+strings.ToLower(op), x.Shape, nil, x)
}

// Add adds the sum of x and y. y may have a single value for all cells of a channel. The node takes its prefix from y:
// if y is block1.conv2, the node is block1.add.
func (g *Graph) Add(x, y *Tensor) *Tensor {
	return g.add("Add", y.Name[:strings.LastIndex(y.Name, ".")]+".add", x.Shape, nil, x, y)
}

// Pool adds the mean and then the maximum of each channel over the cells of x: [batch, 2*channels, 1, 1].
func (g *Graph) Pool(x *Tensor) *Tensor {
	pooled := func(channels int) []Dim { return []Dim{x.Shape[0], {Size: channels}, {Size: 1}, {Size: 1}} }
	channels := x.Shape[1].Size
	mean := g.add("GlobalAveragePool", x.Name+".mean", pooled(channels), nil, x)
	most := g.add("GlobalMaxPool", x.Name+".max", pooled(channels), nil, x)
	return g.add("Concat", x.Name+".pool", pooled(2*channels), []attribute{{"axis", []int{1}, false}}, mean, most)
}

// Concat adds rows of x, images whose size may be open, followed by y, single-cell images. The node takes its prefix
// from y, as in Add.
func (g *Graph) Concat(x, y *Tensor) *Tensor {
	name := y.Name[:strings.LastIndex(y.Name, ".")] + ".concat"
	x, y = g.row(x, x.Name+".flatten", cellActionsSize), g.row(y, y.Name+".flatten", "")
	size := Dim{Size: x.Shape[1].Size + y.Shape[1].Size}
	if x.Shape[1].Name != "" {
		size = Dim{Name: actionsSize}
	}
	return g.add("Concat", name, []Dim{x.Shape[0], size}, []attribute{{"axis", []int{1}, false}}, x, y)
}

// row makes a row of each image, cell by cell. open names the length of rows of images of an open size.
func (g *Graph) row(x *Tensor, name, open string) *Tensor {
	if x.Shape[1].Size > 1 && x.cells() != 1 {
		shape := []Dim{x.Shape[0], x.Shape[2], x.Shape[3], x.Shape[1]}
		x = g.add("Transpose", x.Name+".transpose", shape, []attribute{{"perm", []int{0, 2, 3, 1}, true}}, x)
	}
	return g.flatten(x, name, open)
}

// flatten makes a row of each image [batch, a, b, c], in this order. open is the name of an open a*b*c.
func (g *Graph) flatten(x *Tensor, name, open string) *Tensor {
	row := Dim{Size: x.Shape[1].Size * x.cells()}
	if x.cells() == 0 {
		row = Dim{Name: open}
	}
	return g.add("Flatten", name, []Dim{x.Shape[0], row}, nil, x)
}

// Input adds an input.
func (g *Graph) Input(name string, shape ...Dim) *Tensor {
	t := &Tensor{Name: name, Shape: shape}
	g.inputs = append(g.inputs, t)
	return t
}

// Rows returns x or, if it has images, a row of each, cell by cell. The node's name begins with name.
func (g *Graph) Rows(x *Tensor, name string) *Tensor {
	if x.image() {
		x = g.row(x, name+".flatten", actionsSize)
	}
	return x
}

// Output makes x an output.
func (g *Graph) Output(name string, x *Tensor) {
	x.Name = name
	g.outputs = append(g.outputs, x)
}

// String returns text such as "planes [batch, 4, 6, 7] -> policy_logits [batch, 7], value [batch, 1]".
func (g *Graph) String() string {
	list := func(tensors []*Tensor) string {
		var texts []string
		for _, t := range tensors {
			texts = append(texts, t.String())
		}
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s -> %s", list(g.inputs), list(g.outputs))
}
