package net

import (
	"fmt"
	"math"
	"slices"

	"tengen/game"
)

// reference is the network and its loss as plain loops in float64: the definition that the graph is compared with.
type reference struct {
	cfg    Config
	shape  Shape
	params map[string][]float64
}

func newReference(w *Weights) *reference {
	r := &reference{cfg: w.Config, shape: w.Shape, params: make(map[string][]float64)}
	for _, p := range w.Params {
		r.params[p.Name] = doubles(p.Data)
	}
	return r
}

func doubles(data []float32) []float64 {
	d := make([]float64, len(data))
	for i, x := range data {
		d[i] = float64(x)
	}
	return d
}

// forward evaluates one position.
func (r *reference) forward(planes []float64) (logits []float64, value float64) {
	x := r.trunk(planes)
	features := r.features(x, "value.conv")
	if r.cfg.ValueHead == HeadPooled {
		features = r.pool(rectified(r.convolve(x, "value.conv", 1)))
	}
	hidden := rectified(r.dense(features, "value.hidden"))
	return r.logits(x, policyHead.name), math.Tanh(r.dense(hidden, "value.out")[0])
}

// logits returns the logits of a policy head on the trunk's output x.
func (r *reference) logits(x []float64, head string) []float64 {
	if r.cfg.PolicyHead != HeadConv {
		return r.dense(r.features(x, head+".conv"), head+".out")
	}
	y, pooled := r.convolve(x, head+".conv", 1), r.pool(rectified(r.convolve(x, head+".pool.conv", 1)))
	r.addBias(y, pooled, head+".pool.dense")
	planes, logits := r.convolve(rectified(y), head+".out", 1), make([]float64, r.shape.Actions-r.shape.Named)
	cells := r.shape.cells()
	for i, v := range planes { // of plane i/cells, at cell i%cells
		logits[i%cells*(len(planes)/cells)+i/cells] = v
	}
	return append(logits, r.dense(pooled, head+".named")...)
}

// pool is the mean and then the maximum of each channel of x, [channels, H*W].
func (r *reference) pool(x []float64) []float64 {
	cells := r.shape.cells()
	var means, maxima []float64
	for ; len(x) > 0; x = x[cells:] {
		mean := 0.0
		for _, v := range x[:cells] {
			mean += v / float64(cells)
		}
		means, maxima = append(means, mean), append(maxima, slices.Max(x[:cells]))
	}
	return append(means, maxima...)
}

// addBias adds to each channel of y what a dense layer without a bias of its own makes of the features.
func (r *reference) addBias(y, features []float64, name string) {
	weight, cells := r.params[name+".weight"], r.shape.cells()
	for o := range len(y) / cells {
		for i, v := range features {
			for cell := range cells {
				y[o*cells+cell] += weight[o*len(features)+i] * v
			}
		}
	}
}

// trunk is what the heads are given, [channels, H*W].
func (r *reference) trunk(planes []float64) []float64 {
	x := rectified(r.convolve(planes, "stem", 3))
	for i := range r.cfg.Blocks {
		name := fmt.Sprintf("block%d", i+1)
		y := r.convolve(x, name+".conv1", 3)
		if _, pooled := r.params[name+".pool.conv.weight"]; pooled {
			r.addBias(y, r.pool(rectified(r.convolve(x, name+".pool.conv", 3))), name+".pool.dense")
		}
		y = r.convolve(rectified(y), name+".conv2", 3)
		for j := range y {
			y[j] += x[j]
		}
		x = rectified(y)
	}
	return x
}

func (r *reference) convolve(x []float64, name string, kernel int) []float64 {
	weight, bias := r.params[name+".weight"], r.params[name+".bias"]
	h, w := r.shape.Height, r.shape.Width
	in := len(x) / (h * w)
	out := len(weight) / (in * kernel * kernel)
	y := make([]float64, out*h*w)
	for o := range out {
		for row := range h {
			for col := range w {
				sum := 0.0
				if bias != nil {
					sum = bias[o]
				}
				for c := range in {
					for i := range kernel {
						for j := range kernel {
							a, b := row+i-kernel/2, col+j-kernel/2
							if a >= 0 && a < h && b >= 0 && b < w {
								sum += weight[((o*in+c)*kernel+i)*kernel+j] * x[(c*h+a)*w+b]
							}
						}
					}
				}
				y[(o*h+row)*w+col] = sum
			}
		}
	}
	return y
}

// features are the results of a 1x1 convolution and a ReLU, cell by cell.
func (r *reference) features(x []float64, name string) []float64 {
	x = rectified(r.convolve(x, name, 1))
	cells := r.shape.cells()
	y := make([]float64, 0, len(x))
	for cell := range cells {
		for channel := range len(x) / cells {
			y = append(y, x[channel*cells+cell])
		}
	}
	return y
}

func (r *reference) dense(x []float64, name string) []float64 {
	weight, bias := r.params[name+".weight"], r.params[name+".bias"]
	y := make([]float64, len(bias))
	for o := range y {
		y[o] = bias[o]
		for i, v := range x {
			y[o] += weight[o*len(x)+i] * v
		}
	}
	return y
}

func rectified(x []float64) []float64 {
	for i, v := range x {
		x[i] = max(v, 0)
	}
	return x
}

// logPolicy is the logarithm of the softmax over the legal moves, 0 elsewhere.
func logPolicy(logits []float64, legal []float32) []float64 {
	most, sum := math.Inf(-1), 0.0
	for a, v := range logits {
		if legal[a] != 0 {
			most = max(most, v)
		}
	}
	for a, v := range logits {
		if legal[a] != 0 {
			sum += math.Exp(v - most)
		}
	}
	logP := make([]float64, len(logits))
	for a, v := range logits {
		if legal[a] != 0 {
			logP[a] = v - most - math.Log(sum)
		}
	}
	return logP
}

// losses are the terms of the loss, and the policy's entropy.
func (r *reference) losses(b *game.Batch) (value, policy, entropy float64) {
	rows, planes, actions := len(b.Z), r.shape.inputLen(), r.shape.Actions
	for i, z := range b.Z {
		logits, v := r.forward(doubles(b.Planes[i*planes : (i+1)*planes]))
		value += (v - float64(z)) * (v - float64(z)) / float64(rows)
		for a, logP := range logPolicy(logits, b.Legal[i*actions:(i+1)*actions]) {
			policy -= float64(b.Pi[i*actions+a]) * logP / float64(rows)
			entropy -= math.Exp(logP) * logP / float64(rows)
		}
	}
	return value, policy, entropy
}

// total is the loss.
func (r *reference) total(b *game.Batch) float64 {
	value, policy, _ := r.losses(b)
	return value + policy
}
