package kernel

// Stage is a computation to measure.
type Stage struct {
	Name string
	// Operations counts the multiplications and additions of products. Transforms take time but do not count, so no
	// stage exceeds the processor's peak.
	Operations float64
	// Compute computes the stage once, on one core. It is not safe for concurrent use.
	Compute func()
}

// Stages returns the stages of a layer with as many outputs as inputs, for 32 images of zeros: a convolution, its
// gradients, and one of the products that they consist of.
func Stages(height, width, channels int) []Stage {
	const batch, rows = 32, 96
	plan := NewConv(height, width, channels, channels)
	operations, padded := batch*plan.operations(), Pad(channels)
	floats := func(n int) []float32 { return make([]float32, n) }
	n := batch * height * width * channels
	x, y, z := floats(n), floats(n), floats(n)
	weight, bias := floats(taps*channels*channels), floats(channels)
	filter, workspace := floats(plan.FilterSize()), floats(plan.Workspace())
	a, c := floats(rows*channels), floats(rows*padded)
	return []Stage{
		{"product", float64(2 * rows * channels * padded), func() {
			Multiply(rows, padded, channels, a, channels, 1, filter, padded, c, padded)
		}},
		{"convolution", operations, func() { plan.Forward(y, x, filter, bias, z, true, workspace) }},
		{"input gradient", operations, func() { plan.InputGradient(y, x, filter, z, x, workspace) }},
		{"weight gradient", operations, func() { plan.WeightGradient(weight, bias, x, z, workspace, 0, 1) }},
	}
}

// operations returns the multiplications and additions in an image's 36 products.
func (c *Conv) operations() (n float64) {
	for p := range points {
		first, last := c.rowsInUse(p, c.kinds)
		n += 2 * float64((last-first)*c.in*c.out)
	}
	return n
}
