package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"tengen/internal/kernel/winograd"
)

// maxHalf is the size of an intermediate result for which AVX-512 has registers.
const maxHalf = 24

// sandwich writes m x w^T. AVX2 keeps the intermediate result in scratch. AVX-512 keeps it in registers, a group of rows
// at a time, with the constants.
func (v isa) sandwich(m, w winograd.Matrix, scratch Mem, read func(p, q int) VecVirtual, write func(i, j int, y VecVirtual)) {
	if v.lanes != 16 {
		half := func(i, q int) Mem { return scratch.Offset((i*len(w[0]) + q) * v.bytes()) }
		keep := func(i, q int, y VecVirtual) { VMOVUPS(y, half(i, q)) }
		recall := func(i, q int) VecVirtual { return v.loaded(half(i, q)) }
		sandwich(v, m, w, len(m), read, keep, recall, write)
		return
	}
	v.held = map[float32]VecVirtual{}
	group := len(m)
	if len(m)*len(w[0]) > maxHalf {
		group = 3 // separates no pair of rows
	}
	var half [winograd.Points][winograd.Points]VecVirtual
	keep := func(i, q int, y VecVirtual) { half[i][q] = y }
	recall := func(i, q int) VecVirtual { return half[i][q] }
	sandwich(v, m, w, group, read, keep, recall, write)
}

func (v isa) add(x, y VecVirtual) VecVirtual {
	sum := v.register()
	VADDPS(y, x, sum)
	return sum
}

func (v isa) subtract(x, y VecVirtual) VecVirtual {
	difference := v.register()
	VSUBPS(y, x, difference)
	return difference
}

func (v isa) scale(factor float32, x VecVirtual) VecVirtual {
	y := v.register()
	if factor == 1 {
		VMOVAPS(x, y)
	} else {
		VMULPS(v.constant(factor), x, y)
	}
	return y
}

func (v isa) addScaled(sum VecVirtual, factor float32, x VecVirtual) {
	switch {
	case factor == 1:
		VADDPS(x, sum, sum)
	case factor == -1:
		VSUBPS(x, sum, sum)
	case v.held[-factor] != nil:
		VFNMADD231PS(v.held[-factor], x, sum)
	default:
		VFMADD231PS(v.constant(factor), x, sum)
	}
}

// scratch returns sandwich's stack memory for registers, aligned to their size: a load across cache lines takes twice
// as long. AVX-512 needs none.
func (v isa) scratch(registers int) Mem {
	if v.lanes == 16 {
		return Mem{}
	}
	raw, base := AllocLocal((registers+1)*v.bytes()), GP64()
	LEAQ(raw, base)
	ADDQ(U32(uint32(v.bytes()-1)), base)
	ANDQ(I32(int32(-v.bytes())), base)
	return Mem{Base: base}
}

// constant returns a number for all lanes. A held one stays in a register from its first use to the sandwich's end.
func (v isa) constant(x float32) Op {
	if v.held == nil {
		return constant(x)
	}
	if v.held[x] == nil {
		v.held[x] = v.loaded(constant(x))
	}
	return v.held[x]
}

var constants = map[float32]Mem{}

func constant(x float32) Mem {
	m, ok := constants[x]
	if !ok {
		m = GLOBL(fmt.Sprintf("constant%08x", math.Float32bits(x)), 8|16) // RODATA | NOPTR
		for i := range 16 {
			DATA(4*i, F32(x))
		}
		constants[x] = m
	}
	return m
}

// lines addresses element k of line l, at base + l*line + k*step. It moves from line to line, forward or to the first.
func lines(base, line, step GPVirtual) func(l, k int) Mem {
	start := GP64()
	var elements strided
	current := -1
	return func(l, k int) Mem {
		if l == current {
			return elements.element(k)
		}
		if current < 0 || l < current {
			MOVQ(base, start)
			current = 0
		}
		for ; current < l; current++ {
			ADDQ(line, start)
		}
		elements = newStrided(start, step)
		return elements.element(k)
	}
}

// strided addresses elements at a constant step. An index register can be scaled by at most 2 here, so elements from
// the fourth on use a second base.
type strided struct {
	base, base3 GPVirtual
	step        GPVirtual
}

// newStrided addresses base + i*step of up to six elements.
func newStrided(base, step GPVirtual) strided {
	s := strided{base: base, base3: GP64(), step: step}
	LEAQ(at(base, step, 1), s.base3)
	LEAQ(at(s.base3, step, 2), s.base3)
	return s
}

func (s strided) element(i int) Mem {
	if i >= 3 {
		return at(s.base3, s.step, i-3)
	}
	return at(s.base, s.step, i)
}

func multiple(n int, x GPVirtual) GPVirtual {
	r := GP64()
	IMUL3Q(U32(uint32(n)), x, r)
	return r
}
