package main

import (
	"fmt"
	"math"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// matrix holds the rows of a transform, as in package kernel.
type matrix [][]float32

// tileOut is the side of the largest output tile, side its points per axis.
const (
	tileOut = 4
	side    = 6
)

var (
	filterMatrix = matrix{
		{1. / 4, 0, 0},
		{-1. / 6, -1. / 6, -1. / 6},
		{-1. / 6, 1. / 6, -1. / 6},
		{1. / 24, 1. / 12, 1. / 6},
		{1. / 24, -1. / 12, 1. / 6},
		{0, 0, 1},
	}
	filterGradientMatrix = transpose(filterMatrix)

	// By the number of outputs.
	inputMatrices = [tileOut + 1]matrix{
		1: {
			{4, -4, 0},
			{0, -6, 0},
			{0, -1, 1},
		},
		2: {
			{4, 0, -4, 0},
			{0, -3, -3, 0},
			{0, 3, -3, 0},
			{0, -1, 0, 1},
		},
		3: {
			{4, -2, -4, 2, 0},
			{0, -6, -3, 3, 0},
			{0, 2, -3, 1, 0},
			{0, -4, 0, 4, 0},
			{0, 2, -1, -2, 1},
		},
		4: {
			{4, 0, -5, 0, 1, 0},
			{0, -4, -4, 1, 1, 0},
			{0, 4, -4, -1, 1, 0},
			{0, -2, -1, 2, 1, 0},
			{0, 2, -1, -2, 1, 0},
			{0, 4, 0, -5, 0, 1},
		},
	}
	outputMatrices = [tileOut + 1]matrix{
		1: {
			{1, 1, 1},
		},
		2: {
			{1, 1, 1, 0},
			{0, 1, -1, 1},
		},
		3: {
			{1, 1, 1, 1, 0},
			{0, 1, -1, 2, 0},
			{0, 1, 1, 4, 1},
		},
		4: {
			{1, 1, 1, 1, 1, 0},
			{0, 1, -1, 2, -2, 0},
			{0, 1, 1, 4, 4, 0},
			{0, 1, -1, 8, -8, 1},
		},
	}
	gradientMatrices = [tileOut + 1]matrix{
		1: transpose(outputMatrices[1]),
		2: transpose(outputMatrices[2]),
		3: transpose(outputMatrices[3]),
		4: transpose(outputMatrices[4]),
	}
)

func point(i, outputs int) int {
	if i == outputs+1 {
		return side - 1
	}
	return i
}

func transpose(m matrix) matrix {
	t := make(matrix, len(m[0]))
	for i := range t {
		for j := range m {
			t[i] = append(t[i], m[j][i])
		}
	}
	return t
}

// maxHalf is the size of an intermediate result for which AVX-512 has registers.
const maxHalf = 24

type term struct {
	factor float32
	x      VecVirtual
}

// sandwich writes m x w^T: read loads an element of x, write stores one of the result. AVX2 keeps the intermediate
// result in scratch. AVX-512 keeps it in registers, a group of rows at a time, with the constants.
func (v isa) sandwich(m, w matrix, scratch Mem, read func(p, q int) VecVirtual, write func(i, j int, y VecVirtual)) {
	group, inRegisters := len(m), v.lanes == 16
	if inRegisters {
		v.held = map[float32]VecVirtual{}
		if len(m)*len(w[0]) > maxHalf {
			group = 3 // separates no pair of rows
		}
	}
	first := 0
	for rows := range slices.Chunk(m, group) {
		half := make([][]VecVirtual, len(rows))
		for q := range w[0] {
			x := make([]VecVirtual, len(m[0]))
			for p := range x {
				if slices.ContainsFunc(rows, func(row []float32) bool { return row[p] != 0 }) {
					x[p] = read(p, q)
				}
			}
			v.product(rows, x, func(i int, y VecVirtual) {
				if !inRegisters {
					VMOVUPS(y, scratch.Offset((i*len(w[0])+q)*v.bytes()))
				}
				half[i] = append(half[i], y)
			})
		}
		for i, x := range half {
			if !inRegisters {
				for q := range x {
					x[q] = v.loaded(scratch.Offset((i*len(w[0]) + q) * v.bytes()))
				}
			}
			v.product(w, x, func(j int, y VecVirtual) { write(first+i, j, y) })
		}
		first += len(rows)
	}
}

// product writes m x for a vector x of registers. It shares work where two neighbouring rows, or all rows in two
// neighbouring columns, differ only in signs.
func (v isa) product(m matrix, x []VecVirtual, emit func(i int, y VecVirtual)) {
	terms := v.columnPairs(m, x)
	for i := 0; i < len(m); i++ {
		even, odd := splitPair(terms, i)
		if even == nil || odd == nil {
			emit(i, v.sum(terms[i]))
			continue
		}
		e, o := v.sum(even), v.sum(odd)
		y := v.register()
		VADDPS(o, e, y)
		emit(i, y)
		y = v.register()
		VSUBPS(o, e, y)
		emit(i+1, y)
		i++
	}
}

// columnPairs returns each row's terms. It replaces x[p] and x[p+1] by their sum and difference if pairOfColumns
// allows.
func (v isa) columnPairs(m matrix, x []VecVirtual) [][]term {
	terms := make([][]term, len(m))
	for p := 0; p < len(x); p++ {
		if p+1 < len(x) && pairOfColumns(m, p) {
			sum, difference := v.register(), v.register()
			VADDPS(x[p+1], x[p], sum)
			VSUBPS(x[p+1], x[p], difference)
			for i := range m {
				switch f := m[i][p]; {
				case f == 0:
				case m[i][p+1] == f:
					terms[i] = append(terms[i], term{f, sum})
				default:
					terms[i] = append(terms[i], term{f, difference})
				}
			}
			p++
			continue
		}
		for i := range m {
			if f := m[i][p]; f != 0 {
				terms[i] = append(terms[i], term{f, x[p]})
			}
		}
	}
	return terms
}

func pairOfColumns(m matrix, p int) bool {
	equal, opposite := 0, 0
	for _, row := range m {
		switch f, g := row[p], row[p+1]; {
		case f == 0 && g == 0:
		case f == g:
			equal++
		case f == -g:
			opposite++
		default:
			return false
		}
	}
	return equal > 0 && opposite > 0 && equal+opposite > 2
}

// splitPair returns the terms with equal and with opposite signs in rows i and i+1, or nil if others differ.
func splitPair(terms [][]term, i int) (even, odd []term) {
	if i+1 >= len(terms) || len(terms[i]) != len(terms[i+1]) {
		return nil, nil
	}
	for p, t := range terms[i] {
		switch u := terms[i+1][p]; {
		case t == u:
			even = append(even, t)
		case t.x == u.x && t.factor == -u.factor:
			odd = append(odd, t)
		default:
			return nil, nil
		}
	}
	return even, odd
}

// sum writes the sum of terms into a new register, from a factor of 1 if there is one.
func (v isa) sum(terms []term) VecVirtual {
	y := v.register()
	first := 0
	for i, t := range terms {
		if t.factor == 1 {
			first = i
			break
		}
	}
	if t := terms[first]; t.factor == 1 {
		VMOVAPS(t.x, y)
	} else {
		VMULPS(v.constant(t.factor), t.x, y)
	}
	for i, t := range terms {
		switch {
		case i == first:
		case t.factor == 1:
			VADDPS(t.x, y, y)
		case t.factor == -1:
			VSUBPS(t.x, y, y)
		case v.held[-t.factor] != nil:
			VFNMADD231PS(v.held[-t.factor], t.x, y)
		default:
			VFMADD231PS(v.constant(t.factor), t.x, y)
		}
	}
	return y
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
