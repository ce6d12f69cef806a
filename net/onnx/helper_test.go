package onnx_test

import (
	"encoding/json"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/checkpoints"
	"tengen/internal/random"
	"tengen/net"
	"tengen/net/onnx"
)

// exported is a network with positions to compare it by.
type exported struct {
	name    string
	graph   *onnx.Graph
	fixed   bool         // it takes batches of onlyBatch alone
	weights *net.Weights // of the board that is played on
	planes  []float32    // [positions, planes, height, width]
}

// onlyBatch is the batch of networks with a fixed one.
const onlyBatch = 4

// inputLen is the number of values of an encoded position.
func (e exported) inputLen() int {
	return e.weights.Shape.Planes * e.weights.Shape.Height * e.weights.Shape.Width
}

// architectures are small networks of all kinds.
var architectures = []struct {
	name  string
	cfg   net.Config
	shape net.Shape
}{
	{"residual", dense, size(3, 4, 5, 4)},
	{"ones", net.Config{Blocks: 1, Channels: 1, PolicyHead: net.HeadDense, PolicyChannels: 1, ValueHead: net.HeadDense, ValueChannels: 1, ValueHidden: 1},
		size(1, 2, 1, 1)},
	{"no blocks", net.Config{Channels: 4, PolicyHead: net.HeadDense, PolicyChannels: 2, ValueHead: net.HeadDense, ValueChannels: 1, ValueHidden: 3},
		size(2, 2, 3, 7)},
	{"conv policy", net.Config{Blocks: 1, Channels: 5, PolicyHead: net.HeadConv, PolicyChannels: 3, ValueHead: net.HeadDense, ValueChannels: 2, ValueHidden: 4},
		size(3, 4, 12, 4)},
	{"pooled value", net.Config{Blocks: 1, Channels: 5, PolicyHead: net.HeadDense, PolicyChannels: 1, ValueHead: net.HeadPooled, ValueChannels: 3, ValueHidden: 4},
		size(4, 3, 3, 3)},
	{"five planes", net.Config{Channels: 6, PolicyHead: net.HeadDense, PolicyChannels: 3, ValueHead: net.HeadDense, ValueChannels: 2, ValueHidden: 4},
		size(4, 5, 5, 5)},
	{"auxiliary heads", net.Config{Channels: 4, PolicyHead: net.HeadDense, PolicyChannels: 3, ValueHead: net.HeadDense, ValueChannels: 2, ValueHidden: 4, ReplyWeight: 0.1, OccupancyWeight: 0.1},
		size(3, 3, 9, 4)},
	{"any-size", anySize, size(3, 4, 12, 4)},
	{"one cell", net.Config{Blocks: 1, Channels: 2, PooledBlocks: 1, PolicyHead: net.HeadConv, PolicyChannels: 1, ValueHead: net.HeadPooled,
		ValueChannels: 1, ValueHidden: 1}, size(1, 1, 1, 2)},
	{"moves", net.Config{Blocks: 1, Channels: 6, PolicyHead: net.HeadConv, PolicyChannels: 3, ValueHead: net.HeadPooled, ValueChannels: 2, ValueHidden: 3},
		withNamed(size(3, 4, 38, 4), 2)},
	{"one cell with moves", anySize, withNamed(size(1, 1, 4, 2), 1)},
	{"stones and a pass", anySize, withNamed(size(4, 3, 13, 4), 1)},
	{"moves without a pass", net.Config{Channels: 3, PolicyHead: net.HeadConv, PolicyChannels: 2, ValueHead: net.HeadDense, ValueChannels: 2, ValueHidden: 3},
		size(4, 3, 24, 4)},
}

// size is a shape.
func size(height, width, actions, planes int) net.Shape {
	return net.Shape{Height: height, Width: width, Actions: actions, Planes: planes}
}

// withNamed is a shape of which so many moves are without a cell.
func withNamed(s net.Shape, named int) net.Shape {
	s.Named = named
	return s
}

// onBoard is a shape for a board of another size.
func onBoard(s net.Shape, height, width int) net.Shape {
	planes := (s.Actions - s.Named) / (s.Height * s.Width)
	return withNamed(size(height, width, planes*height*width+s.Named, s.Planes), s.Named)
}

// dense is a network for boards of one size, anySize one for all, with everything that pools.
var (
	dense   = net.Config{Blocks: 2, Channels: 3, PolicyHead: net.HeadDense, PolicyChannels: 2, ValueHead: net.HeadDense, ValueChannels: 2, ValueHidden: 4}
	anySize = net.Config{Blocks: 3, Channels: 6, PooledBlocks: 2, PolicyHead: net.HeadConv, PolicyChannels: 2, ValueHead: net.HeadPooled,
		ValueChannels: 2, ValueHidden: 3}
)

// randomModel has weights of a size that shows in the outputs, biases as well.
func randomModel(cfg net.Config, shape net.Shape) *net.Model {
	w := net.NewWeights(cfg, shape, 21)
	rng := random.New(21, random.Test)
	for _, p := range w.Params {
		for i := range p.Data {
			p.Data[i] += 0.3 * float32(rng.NormFloat64())
		}
	}
	return &net.Model{Game: "toy", Iteration: 3, Step: 40, Weights: w}
}

// networks are the models that come with tengen and random ones of all architectures, as they are and with fixed
// batches, on their own boards and on others, each with a number of positions.
func networks(t *testing.T, positions int) (all []exported) {
	t.Helper()
	rng := random.New(22, random.Test)
	add := func(name string, m *net.Model, o net.ONNXOptions, w *net.Weights, planes []float32) {
		g, err := m.ONNX(o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, exported{name, g, o.Batch != 0, w, planes})
	}
	for _, m := range shipped(t) {
		add(m.Game, m, net.ONNXOptions{}, m.Weights, randomPlanes(m.Weights, positions, rng))
	}
	for _, a := range architectures {
		m := randomModel(a.cfg, a.shape)
		add(a.name, m, net.ONNXOptions{}, m.Weights, randomPlanes(m.Weights, positions, rng))
		add(a.name+", fixed batch", m, net.ONNXOptions{Batch: onlyBatch}, m.Weights, randomPlanes(m.Weights, positions, rng))
		if !a.cfg.AnySize() {
			continue
		}
		for _, shape := range []net.Shape{a.shape, onBoard(a.shape, 7, 5)} {
			w, err := m.Weights.Resized(shape)
			if err != nil {
				t.Fatal(err)
			}
			add(a.name+" on "+shape.String(), m, net.ONNXOptions{AnySize: true}, w, randomPlanes(w, positions, rng))
		}
	}
	return all
}

// shipped are the models that come with tengen.
func shipped(t *testing.T) (models []*net.Model) {
	t.Helper()
	files, err := fs.Glob(checkpoints.Pretrained(), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		models = append(models, pretrained(t, file))
	}
	return models
}

// pretrained is the model in a file of the project.
func pretrained(t *testing.T, file string) *net.Model {
	t.Helper()
	content, err := fs.ReadFile(checkpoints.Pretrained(), file)
	if err != nil {
		t.Fatal(err)
	}
	m := new(net.Model)
	if err := m.UnmarshalBinary(content); err != nil {
		t.Fatal(err)
	}
	return m
}

// randomPlanes are n positions of 0s and 1s.
func randomPlanes(w *net.Weights, n int, rng *rand.Rand) []float32 {
	planes := make([]float32, n*w.Shape.Planes*w.Shape.Height*w.Shape.Width)
	for i := range planes {
		planes[i] = float32(rng.IntN(2))
	}
	return planes
}

// expected is what package net says of the positions.
func (e exported) expected() (logits, values []float32) {
	const batch = 16
	inference := net.NewInference(e.weights, batch)
	for rows := range slices.Chunk(e.planes, batch*e.inputLen()) {
		n := 0
		for position := range slices.Chunk(rows, e.inputLen()) {
			copy(inference.Input(n), position)
			n++
		}
		inference.Forward(n)
		for i := range n {
			logits = append(logits, inference.Logits(i)...)
			values = append(values, inference.Value(i))
		}
	}
	return logits, values
}

// tolerance is how far other runtimes may be off, relative to the largest of the values, or to 1 if that is more.
const tolerance = 1e-4

// compare reports the first of some values that is off.
func compare[T float32 | float64](t *testing.T, what string, got []T, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d %s, want %d", len(got), what, len(want))
		return
	}
	largest := 1.0
	for _, x := range want {
		largest = max(largest, math.Abs(float64(x)))
	}
	for i := range got {
		a, b := float64(got[i]), float64(want[i])
		if !(math.Abs(a-b) <= tolerance*largest) {
			t.Errorf("%s: %v at %d, want %v", what, a, i, b)
			return
		}
	}
}

func architecture(t *testing.T, c net.Config) string {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
