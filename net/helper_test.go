package net

import (
	"math"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"

	"tengen/game"
	"tengen/internal/random"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// architecture is a case of the tests that every kind of network must pass.
type architecture struct {
	name  string
	cfg   Config
	shape Shape
}

// architectures are small networks of all kinds, with odd sizes and sizes of one.
var architectures = []architecture{
	{"residual", Config{Blocks: 2, Channels: 3, PolicyHead: HeadDense, PolicyChannels: 2, ValueHead: HeadDense, ValueChannels: 2, ValueHidden: 4}, Shape{3, 4, 5, 4, 0}},
	{"three planes", Config{Blocks: 1, Channels: 2, PolicyHead: HeadDense, PolicyChannels: 1, ValueHead: HeadDense, ValueChannels: 3, ValueHidden: 2}, Shape{4, 3, 12, 3, 0}},
	{"ones", Config{Blocks: 1, Channels: 1, PolicyHead: HeadDense, PolicyChannels: 1, ValueHead: HeadDense, ValueChannels: 1, ValueHidden: 1}, Shape{1, 2, 1, 1, 0}},
	{"no blocks", Config{Blocks: 0, Channels: 4, PolicyHead: HeadDense, PolicyChannels: 2, ValueHead: HeadDense, ValueChannels: 1, ValueHidden: 3}, Shape{2, 2, 3, 4, 0}},
	{"wide", Config{Blocks: 1, Channels: 9, PolicyHead: HeadDense, PolicyChannels: 4, ValueHead: HeadDense, ValueChannels: 2, ValueHidden: 9}, Shape{5, 4, 21, 7, 0}},
	{"vectors", Config{Blocks: 1, Channels: 16, PolicyHead: HeadDense, PolicyChannels: 4, ValueHead: HeadDense, ValueChannels: 2, ValueHidden: 16}, Shape{6, 7, 7, 4, 0}},
	{"conv policy", Config{Blocks: 1, Channels: 5, PolicyHead: HeadConv, PolicyChannels: 3, ValueHead: HeadDense, ValueChannels: 2, ValueHidden: 4}, Shape{3, 4, 12, 4, 0}},
	{"pooled value", Config{Blocks: 1, Channels: 5, PolicyHead: HeadDense, PolicyChannels: 1, ValueHead: HeadPooled, ValueChannels: 3, ValueHidden: 4}, Shape{4, 3, 3, 3, 0}},
	{"any size", Config{Blocks: 3, Channels: 6, PooledBlocks: 2, PolicyHead: HeadConv, PolicyChannels: 2, ValueHead: HeadPooled, ValueChannels: 2,
		ValueHidden: 3}, Shape{3, 4, 12, 4, 0}},
	{"any size, vectors", Config{Blocks: 1, Channels: 32, PooledBlocks: 1, PolicyHead: HeadConv, PolicyChannels: 16, ValueHead: HeadPooled,
		ValueChannels: 17, ValueHidden: 5}, Shape{2, 3, 6, 4, 0}},
	{"one cell", Config{Blocks: 1, Channels: 2, PooledBlocks: 1, PolicyHead: HeadConv, PolicyChannels: 1, ValueHead: HeadPooled, ValueChannels: 1,
		ValueHidden: 1}, Shape{1, 1, 1, 2, 0}},
	{"registers and rest", Config{Blocks: 1, Channels: 20, PolicyHead: HeadDense, PolicyChannels: 3, ValueHead: HeadDense, ValueChannels: 1, ValueHidden: 5}, Shape{5, 4, 9, 4, 0}},
	{"moves of pieces and a pass", Config{Blocks: 1, Channels: 5, PooledBlocks: 1, PolicyHead: HeadConv, PolicyChannels: 3, ValueHead: HeadPooled,
		ValueChannels: 2, ValueHidden: 3}, Shape{3, 4, 37, 3, 1}},
	{"stones and a pass", Config{Blocks: 1, Channels: 4, PolicyHead: HeadConv, PolicyChannels: 2, ValueHead: HeadPooled, ValueChannels: 2,
		ValueHidden: 3}, Shape{2, 3, 7, 3, 1}},
	{"moves of pieces", Config{Blocks: 1, Channels: 9, PolicyHead: HeadConv, PolicyChannels: 9, ValueHead: HeadDense, ValueChannels: 1,
		ValueHidden: 2}, Shape{3, 3, 81, 3, 0}},
}

// randomWeights are weights whose outputs are far from trivial: NewWeights makes biases 0 and heads small.
func randomWeights(a architecture, seed uint64) *Weights {
	w := NewWeights(a.cfg, a.shape, seed)
	rng := random.New(seed, random.Test, 1)
	for _, p := range w.Params {
		for i := range p.Data {
			p.Data[i] += 0.3 * float32(rng.NormFloat64())
		}
	}
	return w
}

// fill writes random samples: planes of 0s and 1s, at least one legal move, targets over the legal moves.
func fill(b *game.Batch, rng *rand.Rand) {
	for i := range b.Planes {
		b.Planes[i] = float32(rng.IntN(2))
	}
	rows := len(b.Z)
	actions := len(b.Pi) / rows
	for i := range rows {
		b.Z[i] = float32(rng.IntN(3) - 1)
		pi, legal := b.Pi[i*actions:(i+1)*actions], b.Legal[i*actions:(i+1)*actions]
		for a := range legal {
			legal[a] = float32(rng.IntN(2))
		}
		legal[rng.IntN(actions)] = 1
		sum := float32(0)
		for a := range pi {
			pi[a] = legal[a] * (rng.Float32() + 0.01)
			sum += pi[a]
		}
		for a := range pi {
			pi[a] /= sum
		}
	}
}

// newBatch returns a batch of random samples.
func newBatch(shape Shape, rows int, rng *rand.Rand) *game.Batch {
	b := &game.Batch{
		Planes: make([]float32, rows*shape.inputLen()),
		Pi:     make([]float32, rows*shape.Actions),
		Legal:  make([]float32, rows*shape.Actions),
		Z:      make([]float32, rows),
	}
	fill(b, rng)
	return b
}

// give fills the inputs of a trainer.
func give(t *Trainer, b *game.Batch) {
	to := t.Batch()
	copy(to.Planes, b.Planes)
	copy(to.Pi, b.Pi)
	copy(to.Legal, b.Legal)
	copy(to.Z, b.Z)
	for name, target := range b.Targets {
		copy(to.Targets[name], target)
	}
}

// term is the loss of a head.
func term(t *testing.T, l Losses, name string) float32 {
	t.Helper()
	for _, term := range l.Terms {
		if term.Name == name {
			return term.Loss
		}
	}
	t.Fatalf("no term %s in %+v", name, l)
	return 0
}

// near reports whether two numbers agree to a tolerance, relative to the larger of them and 1.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}
