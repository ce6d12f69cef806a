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
		line := func(row int) []float32 { return plane[row*width:][:width] }
		for row := range height {
			to := patches[(image*cells+row*width)*step+channel*taps:]
			slide(to, step, line(max(row-1, 0)), line(row), line(min(row+1, height-1)))
			if row == 0 {
				blank(to, step, width)
			}
			if row == height-1 {
				blank(to[6:], step, width)
			}
		}
	}
}

// three are adjacent cells of a column.
type three struct{ above, here, below float32 }

// slide writes the neighbourhoods of a line's cells, step apart.
func slide(to []float32, step int, above, line, below []float32) {
	above, below = above[:len(line)], below[:len(line)]
	var left three
	middle := three{above[0], line[0], below[0]}
	for column := range line {
		var right three
		if next := column + 1; next < len(line) {
			right = three{above[next], line[next], below[next]}
		}
		nine := (*[taps]float32)(to[column*step:])
		nine[0], nine[1], nine[2] = left.above, middle.above, right.above
		nine[3], nine[4], nine[5] = left.here, middle.here, right.here
		nine[6], nine[7], nine[8] = left.below, middle.below, right.below
		left, middle = middle, right
	}
}

// blank clears three floats in n places, step apart.
func blank(to []float32, step, n int) {
	for i := range n {
		clear(to[i*step:][:3])
	}
}
