package net

import (
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// This file alone knows how a layer is computed. Images are [B, C, H, W], features [B, N]; weights are as layer says.
//
// Products are written so that Gorgonia calls gonum's matrix product with the second factor not transposed: it then adds
// the terms of each sum one after another. With a transposed second factor the order of the sum would depend on the
// number of rows and on how the memory is aligned, and so would the rounding.

// affine is the parameters of a layer as nodes.
type affine struct{ weight, bias *gorgonia.Node }

// conv3x3 is ReLU(conv(x) + residual) with a padding of 1: the board keeps its size. residual may be nil.
func conv3x3(x *gorgonia.Node, p affine, residual *gorgonia.Node) *gorgonia.Node {
	y := convolve(x, p)
	if residual != nil {
		y = add(y, residual)
	}
	return relu(y)
}

// conv1x1 is ReLU(conv(x)), a dense layer applied to each cell.
func conv1x1(x *gorgonia.Node, p affine) *gorgonia.Node { return relu(convolve(x, p)) }

// dense is x weight^T + bias, [B, in] to [B, out].
func dense(x *gorgonia.Node, p affine) *gorgonia.Node {
	y := gorgonia.Must(gorgonia.Mul(x, gorgonia.Must(gorgonia.Transpose(p.weight, 1, 0))))
	row := reshape(p.bias, 1, p.bias.Shape()[0])
	return gorgonia.Must(gorgonia.BroadcastAdd(y, row, nil, []byte{0}))
}

// relu is max(x, 0), element by element.
func relu(x *gorgonia.Node) *gorgonia.Node { return gorgonia.Must(gorgonia.Rectify(x)) }

// flatten turns [B, C, H, W] into [B, C*H*W].
func flatten(x *gorgonia.Node) *gorgonia.Node {
	s := x.Shape()
	return reshape(x, s[0], s[1]*s[2]*s[3])
}

// convolve is the convolution that keeps the board's size, plus bias. Every cell's neighbourhood becomes a row of a
// matrix, and the convolution a dense layer on it.
func convolve(x *gorgonia.Node, p affine) *gorgonia.Node {
	image, filter := x.Shape(), p.weight.Shape()
	batch, height, width := image[0], image[2], image[3]
	out, kernel := filter[0], filter[2]
	fanIn := filter[1] * kernel * kernel

	one, padding := []int{1, 1}, []int{kernel / 2, kernel / 2}
	patches := gorgonia.Must(gorgonia.Im2Col(x, tensor.Shape{kernel, kernel}, padding, one, one))
	y := dense(reshape(patches, batch*height*width, fanIn), affine{reshape(p.weight, out, fanIn), p.bias})
	return gorgonia.Must(gorgonia.Transpose(reshape(y, batch, height, width, out), 0, 3, 1, 2))
}

// add is a + b, element by element.
func add(a, b *gorgonia.Node) *gorgonia.Node { return gorgonia.Must(gorgonia.Add(a, b)) }

// reshape gives x another shape of the same size.
func reshape(x *gorgonia.Node, shape ...int) *gorgonia.Node {
	return gorgonia.Must(gorgonia.Reshape(x, shape))
}
