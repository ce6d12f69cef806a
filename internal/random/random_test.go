package random

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

func draws(seed uint64, stream Stream, numbers ...uint64) [4]uint64 {
	rng := New(seed, stream, numbers...)
	return [4]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()}
}

// The same seed, stream and numbers repeat a sequence; any change, also of the order or the number of them, gives
// another.
func TestNew(t *testing.T) {
	cases := [][]uint64{{0, 0}, {0, 1}, {1, 0}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 2}, {2, 1}, {1, 2, 3}, {1, 3, 2}, {1, 2, 3, 0}}
	seen := map[[4]uint64][]uint64{}
	for _, c := range cases {
		d := draws(c[0], Stream(c[1]), c[2:]...)
		if d != draws(c[0], Stream(c[1]), c[2:]...) {
			t.Errorf("%v does not repeat itself", c)
		}
		if other, ok := seen[d]; ok {
			t.Errorf("%v and %v draw the same", c, other)
		}
		seen[d] = c
	}
}

// Neighbouring numbers, such as those of games, give unrelated bits: about half of them differ.
func TestNeighboursAreUnrelated(t *testing.T) {
	different := 0
	for game := range uint64(1000) {
		for x := New(1, SelfPlay, game).Uint64() ^ New(1, SelfPlay, game+1).Uint64(); x != 0; x &= x - 1 {
			different++
		}
	}
	if mean := float64(different) / 1000; mean < 31 || mean > 33 {
		t.Errorf("%.2f of 64 bits differ on average, want about 32", mean)
	}
}

// No two streams are equal.
func TestStreamsDiffer(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "random.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[uint64]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Type == nil || spec.Type.(*ast.Ident).Name != "Stream" {
			return true
		}
		name := spec.Names[0].Name
		value, err := strconv.ParseUint(spec.Values[0].(*ast.BasicLit).Value, 0, 64)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if names[value] != "" {
			t.Errorf("%s and %s are both %#x", names[value], name, value)
		}
		names[value] = name
		return true
	})
	if len(names) == 0 {
		t.Error("there are no streams")
	}
}

// The streams are fixed: others would give the same seed other games and weights.
func TestRunsDrawTheSame(t *testing.T) {
	for stream, want := range map[Stream]uint64{
		SelfPlay: 0x84fc6af68a73650d,
		Weights:  0xf5de0846acdad741,
		Samples:  0x5a4e2a43029b0f0f,
		Evaluate: 0x8235024941dec81d,
	} {
		if got := New(7, stream, 12).Uint64(); got != want {
			t.Errorf("stream %#x begins with %#x, want %#x", uint64(stream), got, want)
		}
	}
}

// The outputs of the reference implementation of SplitMix64 for the seed 0 (Vigna, prng.di.unimi.it/splitmix64.c).
func TestMix(t *testing.T) {
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := Mix(uint64(i) * golden); got != want {
			t.Errorf("output %d is %#x, want %#x", i, got, want)
		}
	}
}
