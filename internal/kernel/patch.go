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
	step := channels * taps
	for i := range len(x) / cells {
		plane, image, channel := x[i*cells:][:cells], i/channels, i%channels
		for row := range height {
			for u := range 3 {
				to := patches[(image*cells+row*width)*step+channel*taps+3*u:]
				if from := row + u - 1; from >= 0 && from < height {
					slide(to, step, plane[from*width:][:width])
					continue
				}
				for column := range width {
					clear(to[column*step:][:3])
				}
			}
		}
	}
}

// slide writes, at intervals of step, each cell of a line between its left and right neighbours.
func slide(to []float32, step int, line []float32) {
	left := float32(0)
	for column, cell := range line {
		right := float32(0)
		if column+1 < len(line) {
			right = line[column+1]
		}
		three := to[column*step:][:3]
		three[0], three[1], three[2] = left, cell, right
		left = cell
	}
}
