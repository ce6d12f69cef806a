package net

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// gorgoniaNetwork is the same residual network built from Gorgonia's own operations, the trunk alone, as somebody would
// who does without package kernel: what the speed of this package is compared with.
type gorgoniaNetwork struct {
	vm     gorgonia.VM
	planes []float32
	trunk  gorgonia.Value // [B, C, H, W]
}

// newGorgoniaNetwork compiles the trunk for inference or, with a loss that is the mean of its output, for training.
func newGorgoniaNetwork(w *Weights, batch int, train bool) *gorgoniaNetwork {
	g := gorgonia.NewGraph()
	tensorOf := func(name string, data []float32, shape ...int) *gorgonia.Node {
		value := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
		return gorgonia.NewTensor(g, tensor.Float32, len(shape), gorgonia.WithShape(shape...), gorgonia.WithName(name), gorgonia.WithValue(value))
	}
	n := &gorgoniaNetwork{planes: make([]float32, batch*w.Shape.inputLen())}
	params := map[string]*gorgonia.Node{}
	var wrt gorgonia.Nodes
	conv := func(x *gorgonia.Node, name string) *gorgonia.Node {
		for _, p := range w.Params {
			switch p.Name {
			case name + ".weight":
				params[name] = tensorOf(p.Name, p.Data, p.Shape...)
			case name + ".bias":
				params[p.Name] = tensorOf(p.Name, p.Data, 1, p.Shape[0], 1, 1)
			}
		}
		wrt = append(wrt, params[name], params[name+".bias"])
		one := []int{1, 1}
		y := gorgonia.Must(gorgonia.Conv2d(x, params[name], tensor.Shape{3, 3}, one, one, one))
		return gorgonia.Must(gorgonia.BroadcastAdd(y, params[name+".bias"], nil, []byte{0, 2, 3}))
	}
	relu := func(x *gorgonia.Node) *gorgonia.Node { return gorgonia.Must(gorgonia.Rectify(x)) }
	x := tensorOf("planes", n.planes, batch, w.Shape.Planes, w.Shape.Height, w.Shape.Width)
	x = relu(conv(x, "stem"))
	for i := range w.Config.Blocks {
		name := fmt.Sprintf("block%d", i+1)
		x = relu(gorgonia.Must(gorgonia.Add(conv(relu(conv(x, name+".conv1")), name+".conv2"), x)))
	}
	if train {
		size := x.Shape().TotalSize()
		loss := gorgonia.Must(gorgonia.Mean(gorgonia.Must(gorgonia.Reshape(x, tensor.Shape{size}))))
		if _, err := gorgonia.Grad(loss, wrt...); err != nil {
			panic(err)
		}
		n.vm = gorgonia.NewTapeMachine(g, gorgonia.BindDualValues(wrt...))
	} else {
		gorgonia.Read(x, &n.trunk)
		n.vm = gorgonia.NewTapeMachine(g)
	}
	return n
}

func (n *gorgoniaNetwork) run(t testing.TB) {
	t.Helper()
	if err := n.vm.RunAll(); err != nil {
		t.Fatal(err)
	}
	n.vm.Reset()
}

// TestAgainstGorgonia compares the trunk with that of Gorgonia's own convolutions.
func TestAgainstGorgonia(t *testing.T) {
	const batch = 3
	cfg := Config{Blocks: 2, Channels: 20, PolicyHead: HeadDense, PolicyChannels: 1, ValueHead: HeadDense, ValueChannels: 1, ValueHidden: 1}
	shape := Shape{5, 7, 7, 4, 0}
	w := randomWeights(architecture{cfg: cfg, shape: shape}, 61)
	other := newGorgoniaNetwork(w, batch, false)
	network := newNetwork(cfg, shape, playing, batch, "")
	whole := network.builder.whole()
	machine := newMachine(network.graph, whole)
	for i, p := range w.Params {
		copy(memory(network.params[i]), p.Data)
	}
	network.builder.update(whole.scratch)
	planes := memory(network.planes)
	for i := range planes {
		planes[i] = float32(i * i % 7 % 2)
	}
	copy(other.planes, planes)
	other.run(t)
	if err := machine.RunAll(); err != nil {
		t.Fatal(err)
	}
	trunk, want := memory(network.trunk), floats(other.trunk)
	largest := slices.Max(want) // a ReLU's results are not negative
	cells := shape.Height * shape.Width
	for b := range batch {
		for cell := range cells {
			for c := range cfg.Channels {
				got, want := trunk[(b*cells+cell)*cfg.Channels+c], want[(b*cfg.Channels+c)*cells+cell]
				if math.Abs(float64(got-want)) > 1e-5*float64(largest) {
					t.Fatalf("image %d, cell %d, channel %d is %v, Gorgonia has %v", b, cell, c, got, want)
				}
			}
		}
	}
}

// BenchmarkGorgonia measures Gorgonia as it is, with the benchmarks' figures.
func BenchmarkGorgonia(b *testing.B) {
	w := NewWeights(Config{Blocks: 5, Channels: 64, PolicyHead: HeadDense, PolicyChannels: 4, ValueHead: HeadDense, ValueChannels: 2, ValueHidden: 64}, Shape{6, 7, 7, 4, 0}, 1)
	for _, batch := range []int{8, 32, 128} {
		b.Run(fmt.Sprintf("forward-%d", batch), func(b *testing.B) {
			n := newGorgoniaNetwork(w, batch, false)
			for b.Loop() {
				n.run(b)
			}
			b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "evaluations/s")
		})
	}
	b.Run("train-64", func(b *testing.B) {
		n := newGorgoniaNetwork(w, 64, true)
		for b.Loop() {
			n.run(b)
		}
		b.ReportMetric(float64(64*b.N)/b.Elapsed().Seconds(), "samples/s")
	})
}
