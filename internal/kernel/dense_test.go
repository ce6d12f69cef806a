package kernel_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/kernel"
)

// dense is one fully connected layer with its packed filter, between guard words.
type dense struct {
	in, out                      int
	weight, bias, filter, padded []float32
}

func newDense(mem *memory, in, out int, weight, bias []float32) *dense {
	d := &dense{in: in, out: out, weight: weight, bias: bias,
		filter: mem.floats(in*kernel.Pad(out), out%16), padded: mem.floats(kernel.Pad(out), in%16)}
	kernel.PackDense(in, out, weight, bias, d.filter, d.padded, 0, 1)
	return d
}

// run computes m rows into memory of exactly the sizes needed, full of NaN.
func (d *dense) run(mem *memory, m int, x []float32, relu bool) []float32 {
	y := mem.floats(m*d.out, m%16)
	kernel.Dense(m, d.in, d.out, x, d.filter, d.padded, y, relu, mem.floats(kernel.DenseScratch(m, d.out), 3))
	return y
}

func TestPackDensePadsWithZeros(t *testing.T) {
	var mem memory
	const in, out = 3, 18
	rng := newRand(10)
	d := newDense(&mem, in, out, randoms(rng, in*out), randoms(rng, out))
	want := make([]float32, in*32)
	for i := range in {
		for o := range out {
			want[o/16*in*16+i*16+o%16] = d.weight[o*in+i]
		}
	}
	sameBits(t, "filter", d.filter, want)
	sameBits(t, "bias", d.padded, append(append([]float32(nil), d.bias...), make([]float32, 32-out)...))
	mem.check(t)
}

func TestDenseNearFloat64(t *testing.T) {
	const tolerance = 1e-5
	eachSet(t, func(t *testing.T) {
		rng := newRand(11)
		for m := range 30 {
			for _, out := range []int{1, 2, 7, 15, 16, 17, 32, 33, 48, 50, 64, 70, 128} {
				var mem memory
				in := 1 + rng.IntN(70)
				d := newDense(&mem, in, out, randoms(rng, in*out), randoms(rng, out))
				x := fill(rng, mem.floats(m*in, rng.IntN(16)))
				y, positive := d.run(&mem, m, x, false), d.run(&mem, m, x, true)
				for i := range m {
					for o := range out {
						want := float64(d.bias[o])
						size := math.Abs(want)
						for p, v := range x[i*in:][:in] {
							term := float64(v) * float64(d.weight[o*in+p])
							want += term
							size += math.Abs(term)
						}
						if got := float64(y[i*out+o]); !(math.Abs(got-want) <= tolerance*size) {
							t.Fatalf("%d rows, %d to %d: y[%d, %d] = %v, want %v", m, in, out, i, o, got, want)
						}
						if got := positive[i*out+o]; got != max(0, y[i*out+o]) {
							t.Fatalf("%d rows, %d to %d: relu(%v) = %v", m, in, out, y[i*out+o], got)
						}
					}
				}
				mem.check(t)
			}
		}
	})
}

// TestDensePassesSpecialNumbers puts NaN and infinities into x, the weight or the bias. ReLU keeps NaN and the positive
// infinity, and takes the negative one for 0.
func TestDensePassesSpecialNumbers(t *testing.T) {
	const m, in = 15, 5
	eachSet(t, func(t *testing.T) {
		rng := newRand(12)
		for _, out := range []int{16, 21} {
			for _, special := range []float32{nan, inf, -inf} {
				for _, place := range []string{"x", "weight", "bias"} {
					x, weight, bias := randoms(rng, m*in), randoms(rng, in*out), randoms(rng, out)
					i, o, p := rng.IntN(m), rng.IntN(out), rng.IntN(in)
					switch place {
					case "x":
						x[i*in+p] = special
					case "weight":
						weight[o*in+p] = special
					case "bias":
						bias[o] = special
					}
					var mem memory
					d := newDense(&mem, in, out, weight, bias)
					y, positive := d.run(&mem, m, x, false), d.run(&mem, m, x, true)
					for row := range m {
						for column := range out {
							affected, term := column == o, special
							switch place {
							case "x":
								affected, term = row == i, special*weight[column*in+p]
							case "weight":
								term = special * x[row*in+p]
							}
							where := fmt.Sprintf("%v in %s at %d %d %d: y[%d, %d]", special, place, i, o, p, row, column)
							checkSpecial(t, where, y[row*out+column], affected, term)
							if term < 0 {
								term = 0
							}
							checkSpecial(t, where+" after ReLU", positive[row*out+column], affected, term)
						}
					}
				}
			}
		}
	})
}

// TestReLUPassesNaNInEveryRow looks at every element of every number of rows: assembly has an instruction for each.
func TestReLUPassesNaNInEveryRow(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for m := 1; m <= 30; m++ {
			for _, out := range []int{7, 16, 32, 48} {
				var mem memory
				bias := make([]float32, out)
				for o := range bias {
					bias[o] = nan
				}
				d := newDense(&mem, 1, out, make([]float32, out), bias)
				for at, v := range d.run(&mem, m, make([]float32, m), true) {
					if !isNaN(v) {
						t.Fatalf("%d rows to %d: y[%d] = %v hides NaN", m, out, at, v)
					}
				}
			}
		}
	})
}
