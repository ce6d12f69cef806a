package kernel_test

import (
	"testing"

	"tengen/internal/kernel"
)

// TestPatchesAndDenseConvolve: the patches of planes stored channels first, times the weight, are the convolution.
func TestPatchesAndDenseConvolve(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for channels := 1; channels <= 4; channels++ {
			for _, s := range [][4]int{{1, 1, 3, 2}, {1, 5, 16, 1}, {3, 2, 17, 3}, {7, 6, 64, 2}, {15, 15, 8, 1}} {
				var mem memory
				c := newConvolution(newRand(80), s[0], s[1], channels, s[2], s[3])
				cells := c.height * c.width
				planes := mem.floats(len(c.x), channels)
				for at, v := range c.x {
					image, cell, channel := at/channels/cells, at/channels%cells, at%channels
					planes[(image*channels+channel)*cells+cell] = v
				}
				patches := mem.floats(len(c.x)*9, channels)
				kernel.Patches(patches, planes, channels, c.height, c.width)
				d := newDense(&mem, channels*9, c.out, c.weight, c.bias)
				y, wanted := d.run(&mem, c.batch*cells, patches, false), c.finished(epilogue{bias: true})
				if ratio, at := wanted.worst(y); !(ratio <= 1e-6) {
					t.Errorf("%v: y[%d] = %v, want %v", c, at, y[at], wanted.exact[at])
				}
				mem.check(t)
			}
		}
	})
}
