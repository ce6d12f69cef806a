package kernel_test

import (
	"fmt"
	"slices"
	"testing"

	"tengen/internal/kernel"
)

// TestAVX512HasTheBitsOfAVX2 convolves boards with tiles of all sizes, a batch that the sets cut into different chunks,
// and all numbers of channels that leave different rests: both add the same terms in the same order.
func TestAVX512HasTheBitsOfAVX2(t *testing.T) {
	if !slices.Contains(kernel.Names(), "avx512") {
		t.Skip("no AVX-512 here")
	}
	defer kernel.Use(kernel.Name())
	compare := func(height, width, in, out, batch int) {
		c := drawConvolution(newRand(54), height, width, in, out, batch)
		kernel.Use("avx2")
		wantY, wantDX, wantDWeight := c.runAt([8]int{})
		kernel.Use("avx512")
		y, dx, dweight := c.runAt([8]int{})
		sameBits(t, fmt.Sprintf("%v: y", c), y, wantY)
		sameBits(t, fmt.Sprintf("%v: dx", c), dx, wantDX)
		sameBits(t, fmt.Sprintf("%v: dweight", c), dweight, wantDWeight)
	}
	for height := 1; height <= 8; height++ {
		for width := 1; width <= 8; width++ {
			compare(height, width, 17, 48, 1)
		}
	}
	compare(6, 7, 17, 48, 40)
	for channels := 1; channels <= 48; channels++ {
		compare(3, 5, channels, 49-channels, 2)
	}
}
