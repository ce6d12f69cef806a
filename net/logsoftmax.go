package net

import (
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"slices"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// logSoftmax is log(exp(x_ij) / sum_k exp(x_ik)) of a matrix x.
//
// Gorgonia's own LogSoftMax is not used: it takes the maximum that it subtracts from a row over that row without its first
// element and the first element of the matrix. Rows then depend on each other, and a row whose only legal move is the
// first overflows.
func logSoftmax(x *gorgonia.Node) *gorgonia.Node {
	return gorgonia.Must(gorgonia.ApplyOp(logSoftmaxOp{rowOp{"LogSoftmax", 1}}, x))
}

// rowOp is what the two operations of this file have in common: matrices of one shape in, one of that shape out.
type rowOp struct {
	name  string
	arity int
}

func (op rowOp) Arity() int            { return op.arity }
func (op rowOp) ReturnsPtr() bool      { return false }
func (op rowOp) CallsExtern() bool     { return false }
func (op rowOp) OverwritesInput() int  { return -1 }
func (op rowOp) WriteHash(h hash.Hash) { fmt.Fprint(h, op.name) }
func (op rowOp) String() string        { return op.name }

func (op rowOp) Hashcode() uint32 {
	h := fnv.New32a()
	op.WriteHash(h)
	return h.Sum32()
}

func (op rowOp) Type() hm.Type {
	matrix := gorgonia.TensorType{Dims: 2, Of: hm.TypeVariable('a')}
	types := make([]hm.Type, op.arity+1)
	for i := range types {
		types[i] = matrix
	}
	return hm.NewFnType(types...)
}

func (op rowOp) InferShape(inputs ...gorgonia.DimSizer) (tensor.Shape, error) {
	return inputs[0].(tensor.Shape).Clone(), nil
}

// logSoftmaxOp is the operation x -> y = logSoftmax(x).
type logSoftmaxOp struct{ rowOp }

var _ gorgonia.SDOp = logSoftmaxOp{}

// Do computes y from x.
func (op logSoftmaxOp) Do(inputs ...gorgonia.Value) (gorgonia.Value, error) {
	x := inputs[0]
	y := tensor.New(tensor.Of(x.Dtype()), tensor.WithShape(x.Shape()...))
	switch data := x.Data().(type) {
	case []float32:
		logSoftmaxRows(y.Data().([]float32), data, x.Shape()[1])
	case []float64:
		logSoftmaxRows(y.Data().([]float64), data, x.Shape()[1])
	}
	return y, nil
}

// DiffWRT says that the operation is differentiable.
func (op logSoftmaxOp) DiffWRT(int) []bool { return []bool{true} }

// SymDiff is the gradient with respect to x as a node.
func (op logSoftmaxOp) SymDiff(inputs gorgonia.Nodes, y, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	gradient, err := gorgonia.ApplyOp(logSoftmaxGradientOp{rowOp{"LogSoftmaxGradient", 2}}, y, grad)
	return gorgonia.Nodes{gradient}, err
}

// logSoftmaxGradientOp is the operation (y, dL/dy) -> dL/dx.
type logSoftmaxGradientOp struct{ rowOp }

// Do computes dL/dx.
func (op logSoftmaxGradientOp) Do(inputs ...gorgonia.Value) (gorgonia.Value, error) {
	y, grad := inputs[0], inputs[1]
	dx := tensor.New(tensor.Of(y.Dtype()), tensor.WithShape(y.Shape()...))
	switch data := y.Data().(type) {
	case []float32:
		logSoftmaxGradientRows(dx.Data().([]float32), data, grad.Data().([]float32), y.Shape()[1])
	case []float64:
		logSoftmaxGradientRows(dx.Data().([]float64), data, grad.Data().([]float64), y.Shape()[1])
	}
	return dx, nil
}

// logSoftmaxRows sets each row of y to the logarithm of the softmax of that row of x.
func logSoftmaxRows[F float32 | float64](y, x []F, columns int) {
	for start := 0; start < len(x); start += columns {
		x, y := x[start:start+columns], y[start:start+columns]
		most := slices.Max(x)
		sum := 0.0
		for _, v := range x {
			sum += math.Exp(float64(v - most))
		}
		logSum := F(math.Log(sum))
		for j, v := range x {
			y[j] = v - most - logSum
		}
	}
}

// logSoftmaxGradientRows sets dx_j = g_j - exp(y_j) sum_k g_k, row by row.
func logSoftmaxGradientRows[F float32 | float64](dx, y, g []F, columns int) {
	for start := 0; start < len(y); start += columns {
		dx, y, g := dx[start:start+columns], y[start:start+columns], g[start:start+columns]
		sum := 0.0
		for _, v := range g {
			sum += float64(v)
		}
		for j := range dx {
			dx[j] = F(float64(g[j]) - math.Exp(float64(y[j]))*sum)
		}
	}
}
