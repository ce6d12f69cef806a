package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

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
		VMULPS(constant(factor), x, y)
	}
	return y
}

func (v isa) addScaled(sum VecVirtual, factor float32, x VecVirtual) {
	switch factor {
	case 1:
		VADDPS(x, sum, sum)
	case -1:
		VSUBPS(x, sum, sum)
	default:
		VFMADD231PS(constant(factor), x, sum)
	}
}

// scratch returns stack memory for registers, aligned to their size: a load across cache lines takes twice as long.
func (v isa) scratch(registers int) Mem {
	raw, base := AllocLocal((registers+1)*v.bytes()), GP64()
	LEAQ(raw, base)
	ADDQ(U32(uint32(v.bytes()-1)), base)
	ANDQ(I32(int32(-v.bytes())), base)
	return Mem{Base: base}
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

// readPlanes returns sandwich's read for elements in planes, side by side in columns.
func (v isa) readPlanes(src, plane GPVirtual, columns int) func(i int) VecVirtual {
	step := multiple(columns, plane)
	var column strided
	return func(i int) VecVirtual {
		row := i / columns
		if row == 0 {
			base := GP64()
			if i == 0 {
				MOVQ(src, base)
			} else {
				LEAQ(at(column.base, plane, 1), base)
			}
			column = newStrided(base, step)
		}
		return v.read(column.element(row))
	}
}

// writePlanes returns sandwich's write for elements in planes.
func (v isa) writePlanes(dst, plane GPVirtual, rows int) func(i int, y VecVirtual) {
	var row strided
	next := GP64()
	return func(i int, y VecVirtual) {
		if i == 0 {
			MOVQ(dst, next)
		}
		if i%rows == 0 {
			base := GP64()
			MOVQ(next, base)
			row = newStrided(base, plane)
			switch rows {
			case 6:
				LEAQ(at(row.base3, plane, 1), next)
				LEAQ(at(next, plane, 2), next)
			case 3:
				MOVQ(row.base3, next)
			}
		}
		VMOVUPS(y, row.element(i%rows))
	}
}
