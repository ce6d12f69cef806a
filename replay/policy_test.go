package replay

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
)

func TestPolicy(t *testing.T) {
	var p Policy
	p.Append([]float32{0, 3, 0, 1}) // 49151.25 and 16383.75
	p.Append(nil)
	p.Append([]float32{1e-30, 1e30, 0})      // too small for a share
	p.Append([]float32{1, 1, 1, 1, 1, 1, 1}) // 9362 1/7 each: one is left over
	p.Append(make([]float32, maxAction+2))
	p.Append(append(make([]float32, maxAction), 1))
	for i, want := range []struct {
		actions []int16
		shares  []uint16
	}{
		{[]int16{1, 3}, []uint16{49151, 16384}},
		{},
		{[]int16{1}, []uint16{FullShare}},
		{[]int16{0, 1, 2, 3, 4, 5, 6}, []uint16{9363, 9362, 9362, 9362, 9362, 9362, 9362}},
		{},
		{[]int16{maxAction}, []uint16{FullShare}},
	} {
		if actions, shares := p.Row(i); !slices.Equal(actions, want.actions) || !slices.Equal(shares, want.shares) {
			t.Errorf("row %d: moves %v, shares %v; want %v, %v", i, actions, shares, want.actions, want.shares)
		}
	}
	if p.Len() != 6 {
		t.Errorf("%d rows, want 6", p.Len())
	}
	want := map[game.Action]float32{1: float32(49151) / 65535, 3: float32(16384) / 65535}
	if got := maps.Collect(p.Shares(0)); !maps.Equal(got, want) {
		t.Errorf("row 0: shares %v, want %v", got, want)
	}
	inf := float32(math.Inf(1))
	for _, weights := range [][]float32{{-1, 2}, {inf}, {inf - inf}, append(make([]float32, maxAction+1), 1)} {
		wantPanic(t, func() { p.Append(weights) })
	}
}

// Shares add up to FullShare, are off by less than one unit, and come out the same when they are the weights of another row.
func TestPolicyRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float32Range(0, math.MaxFloat32), 0, 50).Draw(t, "weights")
		if rapid.Bool().Draw(t, "counts") {
			for i, n := range rapid.SliceOfN(rapid.IntRange(0, 1000), len(weights), len(weights)).Draw(t, "visits") {
				weights[i] = float32(n)
			}
		}
		sum := 0.0
		for _, w := range weights {
			sum += float64(w)
		}
		var p Policy
		p.Append(weights)
		actions, shares := p.Row(0)
		again, total := make([]float32, len(weights)), 0
		for i, a := range actions {
			total += int(shares[i])
			again[a] = float32(shares[i])
		}
		if want := FullShare; total != want && sum > 0 || total != 0 && sum == 0 {
			t.Fatalf("the shares add up to %d, want %d", total, want)
		}
		for a, w := range weights {
			if off := float64(again[a]) - float64(w)/sum*FullShare; sum > 0 && math.Abs(off) >= 1 {
				t.Fatalf("the share of move %d is off by %v", a, off)
			}
		}
		p.Append(again)
		if moves, same := p.Row(1); !slices.Equal(moves, actions) || !slices.Equal(same, shares) {
			t.Fatalf("shares %v became %v", shares, same)
		}
	})
}
