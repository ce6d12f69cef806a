package onnx

import (
	"fmt"
	"slices"

	"tengen/game"
	"tengen/net"
)

// node computes one tensor.
type node struct {
	op         string
	name       string
	inputs     []string // tensors and initializers
	output     tensor
	attributes []attribute
}

// attribute is a constant of a node: a number, or a list of them.
type attribute struct {
	name   string
	values []int
	list   bool
}

// builder adds the network to a graph, layer by layer, as package net adds it to its own.
type builder struct {
	*Graph
	weights *net.Weights
	params  map[string]net.Param
}

// build adds the whole network.
func (g *Graph) build(w *net.Weights, o Options) {
	b := &builder{g, w, make(map[string]net.Param)}
	for _, p := range w.Params {
		b.params[p.Name] = p
	}
	s := w.Shape
	batch, height, width := dim{size: o.Batch}, dim{size: s.Height}, dim{size: s.Width}
	if o.Batch == 0 {
		batch.name = batchSize
	}
	if o.AnySize {
		height.name, width.name = heightSize, widthSize
	}
	g.planes = tensor{planesName, []dim{batch, {size: s.Planes}, height, width}}
	trunk := b.trunk(g.planes)
	g.logits = b.rename(b.policy(trunk), logitsName)
	g.value = b.rename(b.value(trunk), valueName)
}

// trunk adds the stack, or the stem and the residual blocks.
func (b *builder) trunk(x tensor) tensor {
	cfg := b.weights.Config
	for i := range cfg.Stack {
		x = b.relu(b.conv(x, fmt.Sprintf("stack.conv%d", i+1)))
	}
	if len(cfg.Stack) > 0 {
		return x
	}
	x = b.relu(b.conv(x, "stem"))
	for i := range cfg.Blocks {
		x = b.block(x, fmt.Sprintf("block%d", i+1))
	}
	return x
}

// block adds a residual block, ReLU(x + conv2(ReLU(conv1(x)))), in a pooled one with a bias inside of the inner ReLU.
func (b *builder) block(x tensor, name string) tensor {
	y := b.conv(x, name+".conv1")
	if pool := name + ".pool"; b.has(pool + ".conv") {
		y = b.addPooled(y, x, pool)
	}
	y = b.conv(b.relu(y), name+".conv2")
	return b.relu(b.sum(x, y, name+".add"))
}

// addPooled adds to each channel of y what all cells of x have to say: a dense layer on pooled features.
func (b *builder) addPooled(y, x tensor, name string) tensor {
	features := b.pool(b.relu(b.conv(x, name+".conv")), name)
	return b.sum(y, b.conv(features, name+".dense"), name+".add")
}

// policy adds the logits, from all cells at once or from each cell and what is pooled of all.
func (b *builder) policy(trunk tensor) tensor {
	y := b.conv(trunk, "policy.conv")
	if b.weights.Config.PolicyHead != net.HeadConv {
		return b.dense(b.relu(y), "policy.out")
	}
	y = b.addPooled(y, trunk, "policy.pool")
	return b.flatten(b.conv(b.relu(y), "policy.out"), "policy.flatten")
}

// value adds the expected outcome, from all cells or from what is pooled of them.
func (b *builder) value(trunk tensor) tensor {
	y := b.relu(b.conv(trunk, "value.conv"))
	if b.weights.Config.ValueHead == net.HeadPooled {
		y = b.pool(y, "value.pool")
	}
	y = b.dense(b.relu(b.dense(y, "value.hidden")), "value.out")
	return b.add("Tanh", "value.tanh", y.shape, nil, y.name)
}

// has reports whether the network has a layer.
func (b *builder) has(layer string) bool {
	_, ok := b.params[layer+".weight"]
	return ok
}

// conv adds a convolution that keeps the size of the board. A dense layer on images of one cell is one, too.
func (b *builder) conv(x tensor, layer string) tensor {
	weight := b.params[layer+".weight"]
	if len(weight.Shape) == 2 {
		weight.Shape = append(slices.Clone(weight.Shape), 1, 1)
	}
	if x.name == planesName && !b.weights.SeesLastMove() {
		weight.Data = blind(weight.Data, weight.Shape, game.LastPlane)
	}
	kernel := weight.Shape[2]
	attributes := []attribute{{"kernel_shape", []int{kernel, kernel}, true}}
	if pad := kernel / 2; pad > 0 {
		attributes = append(attributes, attribute{"pads", []int{pad, pad, pad, pad}, true})
	}
	shape := []dim{x.shape[0], {size: weight.Shape[0]}, x.shape[2], x.shape[3]}
	return b.layer("Conv", layer, weight, x, shape, attributes...)
}

// blind returns the weights [out, in, kernel, kernel] of a convolution, with 0 for a channel of its input.
func blind(weight []float32, shape []int, channel int) []float32 {
	weight = slices.Clone(weight)
	kernel := shape[2] * shape[3]
	for out := range shape[0] {
		clear(weight[(out*shape[1]+channel)*kernel:][:kernel])
	}
	return weight
}

// dense adds a dense layer on x [batch, in], or on all channels of all cells of x [batch, channels, height, width].
func (b *builder) dense(x tensor, layer string) tensor {
	weight := b.params[layer+".weight"]
	if len(x.shape) == 4 {
		weight.Data = byChannel(weight.Data, x.shape[1].size, x.shape[2].size*x.shape[3].size)
		x = b.flatten(x, layer+".flatten")
	}
	return b.layer("Gemm", layer, weight, x, []dim{x.shape[0], {size: weight.Shape[0]}}, attribute{"transB", []int{1}, false})
}

// byChannel turns rows of weights for [cells, channels] into rows for [channels, cells].
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

// layer adds the node of a layer, with its weight as given and its bias, if it has one.
func (b *builder) layer(op, name string, weight net.Param, x tensor, shape []dim, attributes ...attribute) tensor {
	inputs := []string{x.name, weight.Name}
	b.initializers = append(b.initializers, weight)
	if bias, ok := b.params[name+".bias"]; ok {
		inputs = append(inputs, bias.Name)
		b.initializers = append(b.initializers, bias)
	}
	return b.add(op, name, shape, attributes, inputs...)
}

// pool adds the mean and then the maximum of each channel over the cells of x: [batch, 2*channels, 1, 1].
func (b *builder) pool(x tensor, name string) tensor {
	pooled := func(channels int) []dim { return []dim{x.shape[0], {size: channels}, {size: 1}, {size: 1}} }
	channels := x.shape[1].size
	mean := b.add("GlobalAveragePool", name+".mean", pooled(channels), nil, x.name)
	most := b.add("GlobalMaxPool", name+".max", pooled(channels), nil, x.name)
	return b.add("Concat", name+".concat", pooled(2*channels), []attribute{{"axis", []int{1}, false}}, mean.name, most.name)
}

// relu adds a ReLU.
func (b *builder) relu(x tensor) tensor { return b.add("Relu", x.name+".relu", x.shape, nil, x.name) }

// sum adds the sum of x and y, which may have one value for all cells.
func (b *builder) sum(x, y tensor, name string) tensor {
	return b.add("Add", name, x.shape, nil, x.name, y.name)
}

// flatten makes a row of each image of x, channel by channel. One channel of a board of any size has as many cells as actions.
func (b *builder) flatten(x tensor, name string) tensor {
	row := dim{size: x.shape[1].size * x.shape[2].size * x.shape[3].size}
	if x.shape[2].name != "" {
		row.name = actionsSize
	}
	return b.add("Flatten", name, []dim{x.shape[0], row}, nil, x.name)
}

// add adds a node. Its output has its name.
func (b *builder) add(op, name string, shape []dim, attributes []attribute, inputs ...string) tensor {
	output := tensor{name, shape}
	b.nodes = append(b.nodes, node{op, name, inputs, output, attributes})
	return output
}

// rename gives the output of the newest node another name.
func (b *builder) rename(output tensor, name string) tensor {
	output.name = name
	b.nodes[len(b.nodes)-1].output = output
	return output
}
