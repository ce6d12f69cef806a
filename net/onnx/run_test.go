package onnx_test

import (
	"math"
	"slices"
	"testing"
)

// This file computes what a graph says, in float64, as https://github.com/onnx/onnx/blob/v1.12.0/docs/Operators.md
// defines the operators.

// run evaluates the graph, and checks that every value has the shape that the file tells.
func (f *file) run(t *testing.T, planes array) (logits, value array) {
	t.Helper()
	known := map[string]array{f.inputs[0].name: planes}
	for name, constant := range f.constants {
		known[name] = constant
	}
	for _, n := range f.nodes {
		var inputs []array
		for _, name := range n.inputs {
			x, ok := known[name]
			if !ok {
				t.Fatalf("%s needs %s, which comes later or never", n.name, name)
			}
			inputs = append(inputs, x)
		}
		known[n.outputs[0]] = compute(t, n, inputs)
	}
	sizes := make(map[string]int) // by their names
	for _, v := range slices.Concat(f.inputs, f.between, f.outputs) {
		v.check(t, known[v.name].shape, sizes)
	}
	return known[f.outputs[0].name], known[f.outputs[1].name]
}

// check compares a shape with the one that the file tells. sizes are what names of sizes stand for.
func (v value) check(t *testing.T, shape []int, sizes map[string]int) {
	t.Helper()
	if len(shape) != len(v.sizes) {
		t.Fatalf("%s has shape %v, the file says %v", v.name, shape, v.sizes)
	}
	for i, size := range v.sizes {
		want, _ := size.(int)
		if name, open := size.(string); open {
			if _, seen := sizes[name]; !seen {
				sizes[name] = shape[i]
			}
			want = sizes[name]
		}
		if shape[i] != want {
			t.Fatalf("%s has shape %v, the file says %v, where %v", v.name, shape, v.sizes, sizes)
		}
	}
}

func compute(t *testing.T, n op, in []array) array {
	t.Helper()
	switch n.kind {
	case "Conv":
		return conv(t, n, in)
	case "Gemm":
		return gemm(t, n, in)
	case "Add":
		return broadcastAdd(t, in[0], in[1])
	case "Relu":
		return each(in[0], func(x float64) float64 { return max(x, 0) })
	case "Tanh":
		return each(in[0], math.Tanh)
	case "Flatten": // axis is 1 by default
		return array{[]int{in[0].shape[0], len(in[0].data) / in[0].shape[0]}, in[0].data}
	case "GlobalAveragePool":
		return pool(in[0], func(cells []float64) float64 {
			sum := 0.0
			for _, x := range cells {
				sum += x
			}
			return sum / float64(len(cells))
		})
	case "GlobalMaxPool":
		return pool(in[0], slices.Max)
	case "Concat":
		return concat(t, n, in)
	case "Transpose":
		return channelsLast(t, n, in[0])
	}
	t.Fatalf("%s: unknown operator %s", n.name, n.kind)
	return array{}
}

func each(x array, f func(float64) float64) array {
	y := array{x.shape, make([]float64, len(x.data))}
	for i, v := range x.data {
		y.data[i] = f(v)
	}
	return y
}

// conv has strides and dilations of 1 and one group, by default; pads are those before and after each axis, 0 by
// default.
func conv(t *testing.T, n op, in []array) array {
	t.Helper()
	x, w := in[0], in[1]
	images, channels, height, width := x.shape[0], x.shape[1], x.shape[2], x.shape[3]
	out, kernel := w.shape[0], w.shape[2:]
	pads, ok := n.attributes["pads"]
	if !ok {
		pads = make([]int, 4)
	}
	if w.shape[1] != channels || !slices.Equal(n.attributes["kernel_shape"], kernel) || pads[0] != pads[2] || pads[1] != pads[3] ||
		2*pads[0] != kernel[0]-1 || 2*pads[1] != kernel[1]-1 {
		t.Fatalf("%s: a convolution of %v with %v, %v", n.name, x.shape, w.shape, n.attributes)
	}
	y := array{[]int{images, out, height, width}, make([]float64, images*out*height*width)}
	cells := height * width
	for at := range images * out {
		image, o, plane := at/out, at%out, y.data[at*cells:][:cells]
		if len(in) > 2 {
			copy(plane, slices.Repeat(in[2].data[o:o+1], cells))
		}
		for tap, weight := range w.data[o*channels*kernel[0]*kernel[1]:][:channels*kernel[0]*kernel[1]] {
			c, down, right := tap/kernel[1]/kernel[0], tap/kernel[1]%kernel[0]-pads[0], tap%kernel[1]-pads[1]
			from := x.data[(image*channels+c)*cells:][:cells]
			for row := max(0, -down); row < min(height, height-down); row++ {
				for column := max(0, -right); column < min(width, width-right); column++ {
					plane[row*width+column] += weight * from[(row+down)*width+column+right]
				}
			}
		}
	}
	return y
}

// gemm is x times the transpose of w, and a bias.
func gemm(t *testing.T, n op, in []array) array {
	t.Helper()
	x, w, bias := in[0], in[1], in[2]
	rows, inner, out := x.shape[0], x.shape[1], w.shape[0]
	if w.shape[1] != inner || !slices.Equal(n.attributes["transB"], []int{1}) || len(bias.data) != out {
		t.Fatalf("%s: %v times %v plus %v, %v", n.name, x.shape, w.shape, bias.shape, n.attributes)
	}
	y := array{[]int{rows, out}, make([]float64, rows*out)}
	for r := range rows {
		for o := range out {
			sum := bias.data[o]
			for i, v := range x.data[r*inner : (r+1)*inner] {
				sum += v * w.data[o*inner+i]
			}
			y.data[r*out+o] = sum
		}
	}
	return y
}

// broadcastAdd adds y [N, C, H, W] or [N, C, 1, 1] to x [N, C, H, W].
func broadcastAdd(t *testing.T, x, y array) array {
	t.Helper()
	repeat := 1
	if !slices.Equal(x.shape, y.shape) {
		repeat = x.shape[2] * x.shape[3]
		if !slices.Equal(y.shape, []int{x.shape[0], x.shape[1], 1, 1}) {
			t.Fatalf("%v added to %v", y.shape, x.shape)
		}
	}
	z := array{x.shape, slices.Clone(x.data)}
	for i := range z.data {
		z.data[i] += y.data[i/repeat]
	}
	return z
}

// pool makes one number of each channel of each image.
func pool(x array, of func(cells []float64) float64) array {
	y := array{shape: []int{x.shape[0], x.shape[1], 1, 1}}
	for cells := range slices.Chunk(x.data, x.shape[2]*x.shape[3]) {
		y.data = append(y.data, of(cells))
	}
	return y
}

// channelsLast makes an array [N, H, W, C] of one [N, C, H, W].
func channelsLast(t *testing.T, n op, x array) array {
	t.Helper()
	if !slices.Equal(n.attributes["perm"], []int{0, 2, 3, 1}) {
		t.Fatalf("%s: %v", n.name, n.attributes)
	}
	images, channels, cells := x.shape[0], x.shape[1], x.shape[2]*x.shape[3]
	y := array{shape: []int{images, x.shape[2], x.shape[3], channels}}
	for at := range len(x.data) {
		y.data = append(y.data, x.data[(at/cells/channels*channels+at%channels)*cells+at/channels%cells])
	}
	return y
}

// concat puts the channels of two arrays [N, C] or [N, C, 1, 1] behind one another.
func concat(t *testing.T, n op, in []array) array {
	t.Helper()
	x, y := in[0], in[1]
	if !slices.Equal(n.attributes["axis"], []int{1}) || x.shape[0] != y.shape[0] || !slices.Equal(x.shape[2:], y.shape[2:]) {
		t.Fatalf("%s: %v and %v, %v", n.name, x.shape, y.shape, n.attributes)
	}
	z := array{shape: slices.Clone(x.shape)}
	z.shape[1] += y.shape[1]
	a, b := len(x.data)/x.shape[0], len(y.data)/x.shape[0]
	for i := range x.shape[0] {
		z.data = append(append(z.data, x.data[i*a:(i+1)*a]...), y.data[i*b:(i+1)*b]...)
	}
	return z
}
