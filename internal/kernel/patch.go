package kernel

import "fmt"

// Patches writes the 3x3 neighbourhood of every cell, with zeros beyond the board: x is [batch, channels, height,
// width], patches [batch, height, width, channels, 3, 3]. The product with a weight [out, channels, 3, 3] is the
// convolution.
func Patches(patches, x []float32, channels, height, width int) {
	cells := height * width
	if channels < 1 || cells < 1 || len(x)%(channels*cells) != 0 || len(patches) < len(x)*taps {
		panic(fmt.Sprintf("kernel: patches of %d planes of %dx%d, from %d floats into %d", channels, height, width, len(x), len(patches)))
	}
	for b := range len(x) / (channels * cells) {
		image := x[b*channels*cells:][:channels*cells]
		for row := range height {
			for column := range width {
				patch := patches[(b*cells+row*width+column)*channels*taps:][:channels*taps]
				clear(patch)
				for u := max(0, row-1); u <= min(height-1, row+1); u++ {
					for v := max(0, column-1); v <= min(width-1, column+1); v++ {
						tap := (u-row+1)*3 + v - column + 1
						for channel := range channels {
							patch[channel*taps+tap] = image[channel*cells+u*width+v]
						}
					}
				}
			}
		}
	}
}
