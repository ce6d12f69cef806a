package net

import (
	"math"
	"strings"
	"testing"

	"tengen/internal/errtest"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		message string
		alter   func(*Config)
	}{
		{"", func(c *Config) { c.Blocks = 0 }},
		{"", func(c *Config) { c.Channels = 1 }},
		{"", func(c *Config) { c.PooledBlocks, c.Channels = 1, 2 }},
		{"net.blocks is -1, but must be 0 to 64", func(c *Config) { c.Blocks = -1 }},
		{"net.blocks is 65,", func(c *Config) { c.Blocks = 65 }},
		{"net.channels is 0, but must be 1 to 1024", func(c *Config) { c.Channels = 0 }},
		{"net.policy_channels is 0,", func(c *Config) { c.PolicyChannels = 0 }},
		{"net.value_channels is 257,", func(c *Config) { c.ValueChannels = 257 }},
		{"net.value_hidden is 5000, but must be 1 to 4096", func(c *Config) { c.ValueHidden = 5000 }},
		{"", func(c *Config) { c.PolicyHead, c.ValueHead, c.PooledBlocks = HeadConv, HeadPooled, c.Blocks }},
		{`net.policy_head is "", but must be dense or conv`, func(c *Config) { c.PolicyHead = "" }},
		{`net.policy_head is "pooled", but must be dense or conv`, func(c *Config) { c.PolicyHead = HeadPooled }},
		{`net.value_head is "conv", but must be dense or pooled`, func(c *Config) { c.ValueHead = HeadConv }},
		{"net.pooled_blocks is 5, but must be 0 to 4", func(c *Config) { c.PooledBlocks = 5 }},
		{"net.pooled_blocks is -1,", func(c *Config) { c.PooledBlocks = -1 }},
		{"net.channels is 1, but a pooled block needs 2", func(c *Config) { c.PooledBlocks, c.Channels = 1, 1 }},
	} {
		cfg := Default()
		c.alter(&cfg)
		err := cfg.Validate()
		if c.message == "" && err != nil || c.message != "" && (err == nil || !strings.Contains(err.Error(), c.message)) {
			t.Errorf("%+v: error %v, want %q", cfg, err, c.message)
		}
	}
}

// TestShapeLimits checks both sides of every limit.
func TestShapeLimits(t *testing.T) {
	for _, shape := range []Shape{{1, 1, 1, 1, 0}, {64, 64, 1 << 16, 1024, 1 << 16}} {
		if err := shape.validate(); err != nil {
			t.Error(err)
		}
	}
	for _, shape := range []Shape{
		{0, 3, 9, 4, 0}, {65, 3, 9, 4, 0}, {3, 0, 9, 4, 0}, {3, 65, 9, 4, 0}, {3, 3, 0, 4, 0}, {3, 3, 1<<16 + 1, 4, 0}, {3, 3, 9, 0, 0},
		{3, 3, 9, 1025, 0}, {3, 3, 9, 4, -1}, {3, 3, 9, 4, 10},
	} {
		if shape.validate() == nil {
			t.Errorf("a %v is valid", shape)
		}
	}
}

// TestFlops counts by hand, for 12 cells: the stem, the convolutions of two blocks and of the heads, and the dense
// layers.
func TestFlops(t *testing.T) {
	w := randomWeights(architectures[0], 1)
	if got, want := w.Flops(), 2.*(12*(4*3*9+4*3*3*9+3*2+3*2)+24*5+24*4+4); got != want {
		t.Errorf("%v operations, want %v", got, want)
	}
}

// TestSeed checks that initial weights are a function of the seed.
func TestSeed(t *testing.T) {
	for _, a := range architectures {
		w := NewWeights(a.cfg, a.shape, 61)
		if !sameParams(w, NewWeights(a.cfg, a.shape, 61)) {
			t.Errorf("%s: the same seed gave other weights", a.name)
		}
		if sameParams(w, NewWeights(a.cfg, a.shape, 62)) {
			t.Errorf("%s: another seed gave the same weights", a.name)
		}
	}
}

// TestInitialDeviation checks the scale of initial weights against He et al. 2015 and the gains of residual blocks and
// heads.
func TestInitialDeviation(t *testing.T) {
	cfg := Config{Blocks: 4, Channels: 32, PolicyHead: HeadDense, PolicyChannels: 8, ValueHead: HeadDense, ValueChannels: 8, ValueHidden: 256}
	w := NewWeights(cfg, Shape{8, 8, 64, 4, 0}, 63)
	want := map[string]float64{
		"block1.conv1.weight": math.Sqrt(2. / (32 * 9)),
		"block4.conv2.weight": math.Sqrt(2./(32*9)) / 2,
		"policy.out.weight":   0.1 * math.Sqrt(2./512),
		"value.hidden.weight": math.Sqrt(2. / 512),
	}
	for _, p := range w.Params {
		sum := 0.0
		for _, x := range p.Data {
			sum += float64(x) * float64(x)
		}
		deviation := math.Sqrt(sum / float64(len(p.Data)))
		if strings.HasSuffix(p.Name, ".bias") && deviation != 0 {
			t.Errorf("%s is not zero", p.Name)
		}
		if d, ok := want[p.Name]; ok && math.Abs(deviation/d-1) > 0.05 {
			t.Errorf("%s has deviation %v, want %v", p.Name, deviation, d)
		}
	}
}

func TestCloneAndCopy(t *testing.T) {
	a := architectures[0]
	w := NewWeights(a.cfg, a.shape, 64)
	c := w.Clone()
	if !sameParams(w, c) || w.Config != c.Config || w.Shape != c.Shape {
		t.Fatal("the clone differs")
	}
	c.Params[0].Data[0]++
	if sameParams(w, c) {
		t.Fatal("the clone shares memory")
	}
	w.CopyFrom(c)
	if !sameParams(w, c) {
		t.Error("CopyFrom left a difference")
	}
	errtest.Panics(t, func() { w.CopyFrom(NewWeights(architectures[1].cfg, architectures[1].shape, 64)) })
}

func TestCount(t *testing.T) {
	cfg := Config{Blocks: 1, Channels: 2, PolicyHead: HeadDense, PolicyChannels: 3, ValueHead: HeadDense, ValueChannels: 1, ValueHidden: 5}
	// stem 4*2*9+2, block 2*(2*2*9+2), policy 2*3+3 and 3*6*7+7, value 2+1, 6*5+5 and 5+1
	if n := NewWeights(cfg, Shape{2, 3, 7, 4, 0}, 1).Count(); n != 74+76+9+133+3+35+6 {
		t.Errorf("%d parameters", n)
	}
	cfg = Config{Blocks: 1, Channels: 2, PooledBlocks: 1, PolicyHead: HeadConv, PolicyChannels: 3, ValueHead: HeadPooled, ValueChannels: 1, ValueHidden: 5}
	// stem as above, block 1*2*9+1 pooled, a bias of 1*2*1 and 1*2*9+1, 2*1*9+2, policy 2*3+3, 2*3+3, 3*6 and 3, value
	// 2+1, 5*2+5 and 5+1
	if n := NewWeights(cfg, Shape{2, 3, 6, 4, 0}, 1).Count(); n != 74+19+2+19+20+9+9+18+3+3+15+6 {
		t.Errorf("%d parameters of a network for all sizes", n)
	}
}

func TestFinite(t *testing.T) {
	w := tinyModel().Weights
	if err := w.Finite(); err != nil {
		t.Error(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		c := w.Clone()
		c.Params[4].Data[0] = float32(bad)
		if err := c.Finite(); err == nil || !strings.Contains(err.Error(), c.Params[4].Name) {
			t.Errorf("%v: error %v", bad, err)
		}
	}
}
