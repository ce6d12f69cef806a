package net

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// anySize is a network for boards of all sizes, with everything that pools.
func anySize() Config {
	return Config{Blocks: 3, Channels: 20, PooledBlocks: 2, PolicyHead: HeadConv, PolicyChannels: 6, ValueHead: HeadPooled, ValueChannels: 5, ValueHidden: 9}
}

// TestPool pools two channels of four cells by hand: means, then maxima, image by image.
func TestPool(t *testing.T) {
	const images, channels = 2, 2
	g := newGraph("")
	b := &builder{batch: images}
	x := g.input("x", images*4, channels)
	copy(memory(x), []float32{1, 0, 3, 0, 2, 0, 2, 0 /**/, -1, 8, -2, 4, -3, 8, -6, 0})
	y := b.pool(x)
	weights := g.input("weights", images, pooledFeatures*channels)
	copy(memory(weights), []float32{4, 8, 1, 5 /**/, 0, 4, 2, 3})
	dx := g.differentiate([]*node{sum(multiply(y, weights))}, []*node{x})[0]
	if err := newMachine(g, b.whole()).RunAll(); err != nil {
		t.Fatal(err)
	}
	if want := []float32{2, 0, 3, 0 /**/, -3, 5, -1, 8}; !slices.Equal(memory(y), want) {
		t.Errorf("pooled %v, want %v", memory(y), want)
	}
	// A quarter of the mean's gradient for every cell, and the maximum's for the first cell that has it.
	if want := []float32{1, 2 + 5, 1 + 1, 2, 1, 2, 1, 2 /**/, 0 + 2, 1 + 3, 0, 1, 0, 1, 0, 1}; !slices.Equal(memory(dx), want) {
		t.Errorf("gradient %v, want %v", memory(dx), want)
	}
}

// TestPoolPassesNaN checks that what is not a number is not lost.
func TestPoolPassesNaN(t *testing.T) {
	for at := range 3 {
		x, mean, most := []float32{1, 2, 3}, make([]float32, 1), make([]float32, 1)
		x[at] = float32(math.NaN())
		poolImage(mean, most, x)
		if finite(mean[0]) {
			t.Errorf("NaN at cell %d: mean %v", at, mean[0])
		}
	}
}

// TestPooledBlocksSpread checks where pooled blocks stand, by their numbers from 1. KataGo has them at 3 of 4 blocks, 3
// and 5 of 6, 2 and 4 of 5.
func TestPooledBlocksSpread(t *testing.T) {
	for _, c := range []struct {
		blocks, pooled int
		want           []int
	}{
		{3, 0, nil}, {1, 1, []int{1}}, {2, 1, []int{2}}, {4, 1, []int{3}}, {6, 2, []int{3, 5}}, {5, 2, []int{2, 4}}, {3, 3, []int{1, 2, 3}},
		{20, 3, []int{6, 11, 16}}, {64, 64, nil},
	} {
		var got []int
		for i := range c.blocks {
			if (Config{Blocks: c.blocks, PooledBlocks: c.pooled}).pooled(i) {
				got = append(got, i+1)
			}
		}
		if len(got) != c.pooled || c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%d of %d blocks: %v, want %v", c.pooled, c.blocks, got, c.want)
		}
	}
}

// TestPoolWidth holds what is pooled of a block's channels: as many as in KataGo's networks of 16, 32, 96, 128 and 256
// channels, and always some of each kind.
func TestPoolWidth(t *testing.T) {
	for channels, want := range map[int]int{2: 1, 3: 1, 16: 8, 32: 16, 48: 16, 64: 16, 96: 32, 128: 32, 256: 64} {
		if got := poolWidth(channels); got != want {
			t.Errorf("%d of %d channels, want %d", got, channels, want)
		}
	}
	for channels := 2; channels <= 1024; channels++ {
		if got := poolWidth(channels); got < 1 || got > channels/2 {
			t.Errorf("%d of %d channels", got, channels)
		}
	}
}

// TestFarCellsAreHeard puts a stone into a corner, so far from the opposite one that no convolution sees both: the
// trunk there hears of it by a pooled block alone, and the logit there in any case.
func TestFarCellsAreHeard(t *testing.T) {
	const side, channels = 15, 8
	for pooled := range 2 {
		cfg := Config{Blocks: 1, Channels: channels, PooledBlocks: pooled, PolicyHead: HeadConv, PolicyChannels: 4, ValueHead: HeadDense, ValueChannels: 1, ValueHidden: 1}
		shape := Shape{side, side, side * side, 4, 0}
		n := newNetwork(cfg, shape, playing, 1, "")
		whole := n.builder.whole()
		tape := record(n.graph, whole)
		n.bind().CopyFrom(randomWeights(architecture{"", cfg, shape}, 91))
		n.builder.update(whole.scratch)
		corner, logit := memory(n.trunk)[(side*side-1)*channels:], &memory(n.outputs["policy"])[side*side-1]
		tape.play(whole, nil)
		features, before := slices.Clone(corner), *logit
		memory(n.planes)[0] = 1
		tape.play(whole, nil)
		if heard := !slices.Equal(corner, features); heard != (pooled == 1) {
			t.Errorf("%d pooled blocks: the trunk hears %v", pooled, heard)
		}
		if *logit == before {
			t.Errorf("%d pooled blocks: the policy hears nothing", pooled)
		}
	}
}

// TestResized checks that weights that were drawn for one board compute what the reference does on another, and share
// the memory.
func TestResized(t *testing.T) {
	small, large := Shape{5, 4, 20, 4, 0}, Shape{7, 9, 63, 4, 0}
	w := randomWeights(architecture{"", anySize(), small}, 92)
	r, err := w.Resized(large)
	if err != nil {
		t.Fatal(err)
	}
	if r.Shape != large || w.Shape != small || !sameParams(r, w) || &r.Params[0].Data[0] != &w.Params[0].Data[0] {
		t.Error("other parameters, or another shape")
	}
	checkForward(t, "resized", r, 2)
}

// TestResizedRefuses names the first parameter that is of one size of board, or of other planes.
func TestResizedRefuses(t *testing.T) {
	dense, value := anySize(), anySize()
	dense.PolicyHead, value.ValueHead = HeadDense, HeadDense
	for _, c := range []struct {
		cfg     Config
		to      Shape
		message string
	}{
		{dense, Shape{4, 4, 16, 4, 0}, "policy.out.weight has shape [9 54]"},
		{value, Shape{4, 4, 16, 4, 0}, "value.hidden.weight has shape [9 45]"},
		{anySize(), Shape{3, 3, 9, 5, 0}, "stem.weight"},
		{anySize(), Shape{3, 3, 10, 4, 0}, "same number of moves at every cell"},
		{anySize(), Shape{3, 3, 2, 4, 2}, "same number of moves at every cell"},
		{anySize(), Shape{4, 4, 32, 4, 0}, "policy.out.weight has shape [1 6 1 1], but the architecture needs [2 6 1 1]"},
		{anySize(), Shape{4, 4, 17, 4, 1}, "policy.named.weight is missing"},
		{anySize(), Shape{65, 1, 65, 4, 0}, "out of range"},
	} {
		r, err := NewWeights(c.cfg, Shape{3, 3, 9, 4, 0}, 1).Resized(c.to)
		if err == nil || !strings.Contains(err.Error(), c.message) || r != nil {
			t.Errorf("%+v to a %v: %v, error %v, want %q", c.cfg, c.to, r, err, c.message)
		}
	}
	for cfg, want := range map[*Config]bool{new(anySize()): true, &dense: false, &value: false, new(Default()): false} {
		if cfg.AnySize() != want {
			t.Errorf("%+v is of any size: %v", cfg, !want)
		}
	}
}

// TestTake takes weights over from a smaller board, but not those of heads that a model or the network does not have.
func TestTake(t *testing.T) {
	from := randomWeights(withAuxiliary(architecture{"", anySize(), Shape{4, 4, 16, 4, 0}}, 1, 1, 1), 94)
	w := NewWeights(from.Config, Shape{6, 5, 30, 4, 0}, 95)
	for _, why := range []purpose{playing, explaining} { // the heads that the model has
		before := w.Clone()
		if err := w.Take(&Weights{Config: from.Config, Shape: from.Shape, Params: from.of(why)}); err != nil {
			t.Fatal(err)
		}
		taken := len(from.of(why))
		if !sameParams(&Weights{Params: w.Params[:taken]}, &Weights{Params: from.of(why)}) {
			t.Error("the parameters are not those of the model")
		}
		if !sameParams(&Weights{Params: w.Params[taken:]}, &Weights{Params: before.Params[taken:]}) || taken == len(w.Params) {
			t.Error("a head that the model lacks has changed, or is not there")
		}
	}
	without := w.Config
	without.OccupancyWeight = 0
	if err := NewWeights(without, w.Shape, 96).Take(from); err != nil {
		t.Errorf("a network without a head of the model: %v", err)
	}
	from.Params[0].Data[0]++
	if w.Params[0].Data[0] == from.Params[0].Data[0] {
		t.Error("the two share their memory")
	}
}

// TestTakeRefuses checks that weights that do not fit change nothing.
func TestTakeRefuses(t *testing.T) {
	shape := Shape{3, 3, 9, 4, 0}
	deeper, plain, dense := anySize(), anySize(), anySize()
	deeper.Blocks++
	plain.PooledBlocks = 0
	dense.ValueHead = HeadDense
	for _, c := range []struct {
		cfg     Config
		message string
	}{
		{plain, "block2.pool.conv.weight is missing"},
		{deeper, "is not part of the architecture"},
		{dense, "value.hidden.weight has shape [9 45], but the architecture needs [9 10]"},
	} {
		w, before := NewWeights(anySize(), shape, 96), NewWeights(anySize(), shape, 96)
		err := w.Take(NewWeights(c.cfg, shape, 97))
		if err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("error %v, want %q", err, c.message)
		}
		if !sameParams(w, before) {
			t.Error("the weights have changed")
		}
	}
	if err := NewWeights(deeper, shape, 1).Take(NewWeights(anySize(), shape, 1)); err == nil || !strings.Contains(err.Error(), "block4.conv1.weight is missing") {
		t.Errorf("error %v", err)
	}
}
