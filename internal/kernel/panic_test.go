package kernel_test

import (
	"strings"
	"testing"

	"tengen/internal/kernel"
)

// short is a slice of n floats with room behind it, as it is cut from a larger one: its capacity must not count.
func short(n int) []float32 { return make([]float32, n, 4*n+4096) }

// mustPanic runs f, which is to panic with a message of the package.
func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		switch r := recover().(type) {
		case nil:
			t.Errorf("%s: no panic", what)
		case string:
			if !strings.HasPrefix(r, "kernel: ") {
				t.Errorf("%s: panic %q does not name the package", what, r)
			}
		default:
			t.Errorf("%s: panic %v, want a message of the package", what, r)
		}
	}()
	f()
}

func TestProductPanics(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		const m, n, k = 3, 32, 5
		a, b, c := short(m*k), short(k*n), short(m*n)
		for what, f := range map[string]func(){
			"a short":        func() { kernel.Multiply(m, n, k, a[1:], k, 1, b, n, c, n) },
			"b short":        func() { kernel.Multiply(m, n, k, a, k, 1, b[1:], n, c, n) },
			"c short":        func() { kernel.MultiplyAdd(m, n, k, a, k, 1, b, n, c[1:], n) },
			"a transposed":   func() { kernel.Multiply(m, n, k, a, 1, m+1, b, n, c, n) },
			"negative k":     func() { kernel.Multiply(m, n, -1, a, k, 1, b, n, c, n) },
			"negative rowA":  func() { kernel.Multiply(m, n, k, a, -1, 1, b, n, c, n) },
			"negative colA":  func() { kernel.Multiply(m, n, k, a, k, -1, b, n, c, n) },
			"negative ldb":   func() { kernel.Multiply(m, n, k, a, k, 1, b, -n, c, n) },
			"negative ldc":   func() { kernel.Multiply(m, n, k, a, k, 1, b, n, c, -n) },
			"x of SumRows":   func() { kernel.SumRows(k, n, b[1:], c) },
			"sums":           func() { kernel.SumRows(k, n, b, c[:n-1]) },
			"y of ReLU":      func() { kernel.ReLUGradient(c, c[1:], c) },
			"grad of ReLU":   func() { kernel.ReLUGradient(c, c, c[1:]) },
			"dst of ReLU":    func() { kernel.ReLUGradient(c[1:], c, c) },
			"unknown set":    func() { kernel.Use("abacus") },
			"patches":        func() { kernel.Patches(short(9*2*6-1), short(2*6), 2, 2, 3) },
			"half an image":  func() { kernel.Patches(short(9*2*7), short(2*7), 2, 2, 3) },
			"missing planes": func() { kernel.Patches(short(9*2*7), short(2*7), 0, 2, 3) },
		} {
			mustPanic(t, what, f)
		}
	})
}

func TestDensePanics(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, out := range []int{16, 17} {
			const m, in = 3, 5
			n := kernel.Pad(out)
			x, filter, padded := short(m*in), short(in*n), short(n)
			y, scratch, weight, bias := short(m*out), short(kernel.DenseScratch(m, out)), short(in*out), short(out)
			for what, f := range map[string]func(){
				"x":              func() { kernel.Dense(m, in, out, x[1:], filter, padded, y, true, scratch) },
				"filter":         func() { kernel.Dense(m, in, out, x, filter[1:], padded, y, true, scratch) },
				"padded":         func() { kernel.Dense(m, in, out, x, filter, padded[1:], y, true, scratch) },
				"y":              func() { kernel.Dense(m, in, out, x, filter, padded, y[1:], true, scratch) },
				"weight packed":  func() { kernel.PackDense(in, out, weight[1:], bias, filter, padded, 0, 1) },
				"bias packed":    func() { kernel.PackDense(in, out, weight, bias[1:], filter, padded, 0, 1) },
				"filter packing": func() { kernel.PackDense(in, out, weight, bias, filter[1:], padded, 0, 1) },
				"padded packing": func() { kernel.PackDense(in, out, weight, bias, filter, padded[1:], 0, 1) },
			} {
				mustPanic(t, what, f)
			}
			if len(scratch) > 0 {
				mustPanic(t, "scratch", func() { kernel.Dense(m, in, out, x, filter, padded, y, true, scratch[1:]) })
			}
		}
	})
}

func TestConvPanics(t *testing.T) {
	for _, s := range [][4]int{{0, 3, 1, 1}, {3, 0, 1, 1}, {3, 3, 0, 1}, {3, 3, 1, 0}, {-1, 3, 1, 1}} {
		mustPanic(t, "size", func() { kernel.NewConv(s[0], s[1], s[2], s[3]) })
	}
	eachSet(t, func(t *testing.T) {
		for _, channels := range [][2]int{{3, 5}, {16, 32}} {
			in, out := channels[0], channels[1]
			plan := kernel.NewConv(3, 4, in, out)
			x, y, bias, residual := short(2*12*in), short(2*12*out), short(out), short(2*12*out)
			filter, weight, workspace := short(plan.FilterSize()), short(9*in*out), short(plan.Workspace())
			for what, f := range map[string]func(){
				"no image":               func() { plan.Forward(nil, nil, filter, bias, residual, true, workspace) },
				"x":                      func() { plan.Forward(y, x[1:], filter, bias, residual, true, workspace) },
				"y":                      func() { plan.Forward(y[1:], x, filter, bias, residual, true, workspace) },
				"an image less":          func() { plan.Forward(y, x[12*in:], filter, bias, residual, true, workspace) },
				"filter":                 func() { plan.Forward(y, x, filter[1:], bias, residual, true, workspace) },
				"bias":                   func() { plan.Forward(y, x, filter, bias[1:], residual, true, workspace) },
				"biases":                 func() { plan.Forward(y, x, filter, short(2*out-1), residual, true, workspace) },
				"residual":               func() { plan.Forward(y, x, filter, bias, residual[1:], true, workspace) },
				"residual of a gradient": func() { plan.InputGradient(y, x, filter, residual[1:], nil, workspace) },
				"mask":                   func() { plan.InputGradient(y, x, filter, nil, residual[1:], workspace) },
				"dbias":                  func() { plan.WeightGradient(weight, bias[1:], x, y, workspace, 0, 1) },
				"workspace":              func() { plan.Forward(y, x, filter, bias, residual, true, workspace[1:]) },
				"filter transforming":    func() { plan.TransformFilter(filter[1:], weight, workspace, 0, 1) },
				"weight transforming":    func() { plan.TransformFilter(filter, weight[1:], workspace, 0, 1) },
				"workspace transforming": func() { plan.TransformFilter(filter, weight, workspace[1:], 0, 1) },
				"filter flipping":        func() { plan.TransformFlipped(filter[1:], weight, workspace, 0, 1) },
				"weight flipping":        func() { plan.TransformFlipped(filter, weight[1:], workspace, 0, 1) },
				"workspace flipping":     func() { plan.TransformFlipped(filter, weight, workspace[1:], 0, 1) },
				"dweight":                func() { plan.WeightGradient(weight[1:], nil, x, y, workspace, 0, 1) },
				"x of the gradient":      func() { plan.WeightGradient(weight, nil, x[1:], y, workspace, 0, 1) },
				"y of the gradient":      func() { plan.WeightGradient(weight, nil, x, y[1:], workspace, 0, 1) },
				"gradient's workspace":   func() { plan.WeightGradient(weight, nil, x, y, workspace[1:], 0, 1) },
				"no workspace":           func() { plan.WeightGradient(weight, nil, x, y, nil, 0, 1) },
				"no transforming one":    func() { plan.TransformFilter(filter, weight, nil, 0, 1) },
			} {
				mustPanic(t, what, f)
			}
		}
	})
}
