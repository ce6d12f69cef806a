package train

import (
	"fmt"
	"math"
	"slices"

	"tengen/internal/portable"
	"tengen/net"
)

// adam moves parameters against their gradients by Adam (Kingma, Ba 2015, "Adam: a method for stochastic
// optimization", algorithm 1):
//
//	m <- beta1 m + (1 - beta1) g
//	v <- beta2 v + (1 - beta2) g^2
//	w <- w - rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
//
// Unlike Gorgonia's solvers, its whole state can be saved and restored. It is not safe for concurrent use.
type adam struct {
	moments []net.Param // every parameter's m, then every v; with the step number, the whole state
	blocks  []block
}

const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// block is some elements of a parameter. Cores share work on parameters by blocks.
type block struct{ param, first, last int }

// blockSize is the maximum number of elements of a block.
const blockSize = 1 << 12

func (b block) of(params []net.Param) []float32 { return params[b.param].Data[b.first:b.last] }

// newAdam returns an optimizer for parameters of these names and shapes. All moments start at 0.
func newAdam(params []net.Param) *adam {
	o := new(adam)
	for i, p := range params {
		for first := 0; first < len(p.Data); first += blockSize {
			o.blocks = append(o.blocks, block{i, first, min(first+blockSize, len(p.Data))})
		}
	}
	for _, moment := range []string{"mean", "square"} {
		for _, p := range params {
			o.moments = append(o.moments, net.Param{
				Name: moment + "/" + p.Name, Shape: p.Shape, Data: make([]float32, len(p.Data)),
			})
		}
	}
	return o
}

// update updates a block of the parameters by one step. params and gradients must match newAdam's, in the same
// order. step counts from 1. Blocks may be updated at once.
func (o *adam) update(step uint64, rate float64, params, gradients []net.Param, b block) {
	w, g, mean, square := b.of(params), b.of(gradients), b.of(o.moments), b.of(o.moments[len(params):])
	b1, b2 := float32(beta1), float32(beta2)
	lr := float32(rate / (1 - portable.Pow(beta1, float64(step))))
	correction := float32(1 / (1 - portable.Pow(beta2, float64(step))))
	for i := range w {
		mean[i] = float32(b1*mean[i]) + float32((1-b1)*g[i])
		square[i] = float32(b2*square[i]) + float32((1-b2)*g[i]*g[i])
		w[i] -= lr * mean[i] / (float32(math.Sqrt(float64(square[i]*correction))) + epsilon)
		if tiny(w[i]) {
			w[i], mean[i], square[i] = 0, 0, 0
		}
	}
}

// tiny reports whether |x| is below 2^-63. L2 shrinks unused weights at each step. They become 0 before they are
// denormal (below 2^-126): processors take many times longer for such numbers. Products of two others are not denormal.
func tiny(x float32) bool { return -0x1p-63 < x && x < 0x1p-63 }

// copyParams copies values between tensors of the same names and shapes.
func copyParams(to, from []net.Param) error {
	if len(to) != len(from) {
		return fmt.Errorf("%d tensors, want %d", len(from), len(to))
	}
	for i := range to {
		if from[i].Name != to[i].Name || !slices.Equal(from[i].Shape, to[i].Shape) {
			return fmt.Errorf("tensor %s %v where %s %v belongs", from[i].Name, from[i].Shape, to[i].Name, to[i].Shape)
		}
	}
	for i := range to {
		copy(to[i].Data, from[i].Data)
	}
	return nil
}

// warmupSteps is the number of steps over which the learning rate rises from 0 at the start.
const warmupSteps = 100

// learningRate returns the rate of a step, counted from 0 over the run, in an iteration, counted from 1. It anneals by
// half a cosine wave (Loshchilov, Hutter 2017, "SGDR: stochastic gradient descent with warm restarts", equation 5).
// Only the warm-up changes it within an iteration.
func (c Config) learningRate(step uint64, iteration int) float64 {
	progress := 0.0
	if c.Iterations > 1 {
		progress = float64(iteration-1) / float64(c.Iterations-1)
	}
	share := float64((1 + portable.Cos(math.Pi*progress)) / 2) // of the highest rate, against the final one
	rate := float64(share*c.LearningRate) + float64((1-share)*c.FinalLearningRate)
	if step < warmupSteps {
		rate *= float64(step+1) / warmupSteps
	}
	return rate
}
