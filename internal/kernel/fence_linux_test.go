package kernel_test

import (
	"fmt"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"tengen/internal/kernel"
)

// fence is memory between two protected pages. Any access beyond a slice is a fault, even a read whose result is unused.
type fence struct{ floats []float32 }

// newFence makes room for n floats.
func newFence(t *testing.T, n int) *fence {
	t.Helper()
	page := syscall.Getpagesize()
	size := (4*n + page - 1) / page * page
	whole, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no memory mapping: %v", err)
	}
	t.Cleanup(func() { syscall.Munmap(whole) })
	for _, border := range [][]byte{whole[:page], whole[page+size:]} {
		if err := syscall.Mprotect(border, syscall.PROT_NONE); err != nil {
			t.Skipf("no memory protection: %v", err)
		}
	}
	return &fence{unsafe.Slice((*float32)(unsafe.Pointer(&whole[page])), size/4)}
}

// copyOf returns s next to the upper border or next to the lower one.
func (f *fence) copyOf(s []float32, upper bool) []float32 {
	c := f.floats[:len(s):len(s)]
	if upper {
		c = f.floats[len(f.floats)-len(s):]
	}
	copy(c, s)
	return c
}

// mustNotFault runs f and reports an access to a border.
func mustNotFault(t *testing.T, what string, f func()) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		t.Helper()
		if r := recover(); r != nil {
			t.Fatalf("%s: %v", what, r)
		}
	}()
	f()
}

func TestFenceIsClosed(t *testing.T) {
	f := newFence(t, 1)
	for _, offset := range []int{-4, 4 * len(f.floats)} {
		faulted := false
		func() {
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
			defer func() { faulted = recover() != nil }()
			*(*float32)(unsafe.Add(unsafe.Pointer(&f.floats[0]), offset)) = 1
		}()
		if !faulted {
			t.Errorf("wrote to the byte %d of the memory", offset)
		}
	}
}

// TestProductsStayInside runs products and the functions made of them with every operand next to a border.
func TestProductsStayInside(t *testing.T) {
	const most = 10_000
	eachSet(t, func(t *testing.T) {
		rng := newRand(110)
		forA, forB, forC := newFence(t, most), newFence(t, most), newFence(t, most)
		for _, p := range products(rng) {
			if max(p.lenA(), p.lenB(), p.lenC()) > most || rng.IntN(4) > 0 {
				continue
			}
			values := randoms(rng, most)
			for _, upper := range []bool{true, false} {
				a, b, c := forA.copyOf(values[:p.lenA()], upper), forB.copyOf(values[:p.lenB()], upper), forC.copyOf(values[:p.lenC()], upper)
				mustNotFault(t, fmt.Sprintf("%v, upper border %v", p, upper), func() {
					kernel.Multiply(p.m, p.n, p.k, a, p.rowA, p.colA, b, p.ldb, c, p.ldc)
					kernel.MultiplyAdd(p.m, p.n, p.k, a, p.rowA, p.colA, b, p.ldb, c, p.ldc)
				})
			}
		}
		for n := range 100 {
			for _, upper := range []bool{true, false} {
				zeros := make([]float32, n)
				x, y, z := forA.copyOf(zeros, upper), forB.copyOf(zeros, upper), forC.copyOf(zeros, upper)
				mustNotFault(t, fmt.Sprintf("%d elements", n), func() {
					kernel.ReLUGradient(x, y, z)
					kernel.SumRows(1, n, x, y)
				})
			}
		}
	})
}

// TestConvStaysInside runs convolutions with every operand next to a border.
func TestConvStaysInside(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, c := range convolutions() {
			if len(c.x)*c.out > 50_000 {
				continue
			}
			plan := kernel.NewConv(c.height, c.width, c.in, c.out)
			back := kernel.NewConv(c.height, c.width, c.out, c.in)
			var fences [7]*fence
			operands := [][]float32{c.x, c.weight, c.bias, c.residual, c.grad,
				make([]float32, max(plan.FilterSize(), back.FilterSize())), make([]float32, max(plan.Workspace(), back.Workspace()))}
			for i, operand := range operands {
				fences[i] = newFence(t, len(operand))
			}
			for _, upper := range []bool{true, false} {
				x, weight, bias := fences[0].copyOf(c.x, upper), fences[1].copyOf(c.weight, upper), fences[2].copyOf(c.bias, upper)
				y, grad := fences[3].copyOf(c.residual, upper), fences[4].copyOf(c.grad, upper)
				mustNotFault(t, fmt.Sprintf("%v, upper border %v", c, upper), func() {
					filter := fences[5].copyOf(operands[5][:plan.FilterSize()], upper)
					workspace := fences[6].copyOf(operands[6][:plan.Workspace()], upper)
					plan.TransformFilter(filter, weight, workspace, 0, 1)
					plan.Forward(y, x, filter, bias, y, true, workspace)
					plan.WeightGradient(weight, nil, x, grad, workspace, 0, 1)
					filter = fences[5].copyOf(operands[5][:back.FilterSize()], upper)
					workspace = fences[6].copyOf(operands[6][:back.Workspace()], upper)
					back.TransformFlipped(filter, weight, workspace, 0, 1)
					back.Forward(x, grad, filter, nil, nil, false, workspace)
				})
			}
		}
	})
}
