package net

import (
	"io/fs"
	"math"
	"math/rand/v2"
	"testing"

	"tengen/checkpoints"
	"tengen/internal/gpu"
)

func TestTry(t *testing.T) {
	all, err := gpu.List()
	if err != nil {
		t.Skip(err)
	}
	t.Logf("%+v", all)
	d, err := gpu.Open(all[0])
	if err != nil {
		t.Fatal(err)
	}
	files, _ := fs.Glob(checkpoints.Pretrained(), "*")
	for _, file := range files {
		_ = fs.ReadFile
		m, err := LoadModel("../checkpoints/pretrained/" + file)
		if err != nil {
			t.Fatal(err)
		}
		const batch = 13
		a, b := NewInference(m.Weights, batch), NewInference(m.Weights, batch)
		if err := b.Accelerate(d); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{13, 1, 7} {
			for i := range n {
				for j := range a.Input(i) {
					x := float32(rng.IntN(2))
					a.Input(i)[j], b.Input(i)[j] = x, x
				}
			}
			a.Forward(n)
			b.Forward(n)
			if b.device == nil {
				t.Fatal(d.Lost())
			}
			differ := 0
			for i := range n {
				for j, x := range a.Logits(i) {
					if math.Float32bits(x) != math.Float32bits(b.Logits(i)[j]) {
						differ++
					}
				}
				if math.Float32bits(a.Value(i)) != math.Float32bits(b.Value(i)) {
					differ++
				}
			}
			t.Log(file, n, "differ", differ, a.Logits(0)[:3], b.Logits(0)[:3], a.Value(0), b.Value(0))
		}
	}
}
