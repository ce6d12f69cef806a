package kernel_test

import (
	"testing"

	"tengen/internal/kernel"
)

// FuzzConv compares convolutions of any shape, with any epilogue and alignment, and their gradients with float64.
func FuzzConv(f *testing.F) {
	f.Add([]byte{6, 5, 63, 63, 2, 0, 0}, uint64(1))
	f.Add([]byte{0, 0, 0, 0, 0, 3, 5}, uint64(2))
	f.Add([]byte{7, 7, 16, 32, 3, 11, 15}, uint64(3))
	f.Add([]byte{18, 2, 4, 24, 1, 8, 9}, uint64(4))
	f.Fuzz(func(t *testing.T, shape []byte, seed uint64) {
		if len(shape) < 7 {
			return
		}
		height, width, batch := 1+int(shape[0])%19, 1+int(shape[1])%19, 1+int(shape[4])%9
		in, out := 1+int(shape[2])%128, 1+int(shape[3])%128
		if batch*height*width*in*out > 500_000 {
			return
		}
		c := newConvolution(newRand(seed), height, width, in, out, batch)
		e, offset := epilogues()[int(shape[5])%len(epilogues())], int(shape[6])%16
		defer kernel.Use(kernel.Name())
		for _, name := range kernel.Names() {
			kernel.Use(name)
			var mem memory
			for _, result := range []struct {
				name   string
				got    []float32
				wanted estimates
			}{
				{"y", c.forward(&mem, e, offset), c.finished(e)},
				{"dx", c.inputGradient(&mem, offset), c.dx},
				{"dweight", c.weightGradient(&mem, offset), c.dweight},
			} {
				if ratio, at := result.wanted.worst(result.got); !(ratio <= winogradTolerance) {
					t.Errorf("%s, %v, %+v: %s[%d] = %v, want %v", name, c, e, result.name, at, result.got[at], result.wanted.exact[at])
				}
			}
			mem.check(t)
		}
	})
}
