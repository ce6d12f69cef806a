package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"tengen/internal/kernel/winograd"
)

// gather writes gatherGo for the channels below n, a multiple of the lanes. plane is in bytes.
func (v isa) gather(name string, matrices [winograd.Outputs + 1]winograd.Matrix) {
	v.begin(name, gatherSignature, gatherDoc)
	scratch := v.scratch(winograd.Points * winograd.Points)
	dst, plane, src, cells, n := load("dst"), load("plane"), load("src"), load("cells"), load("n")
	step := multiple(winograd.Points, plane)
	eachSize(func(rows, columns int, again string) {
		m, w := matrices[rows], matrices[columns]
		write := lines(dst, step, plane)
		v.sandwich(m, w, scratch, func(p, q int) VecVirtual {
			offset, cell := GP64(), Mem{Base: cells}.Offset(8*(q*len(m[0])+p))
			MOVL(cell, offset.As32())
			return v.masked(at(src, offset, 1), cell.Offset(4))
		}, func(i, j int, y VecVirtual) {
			VMOVUPS(y, write(winograd.Point(i, rows), winograd.Point(j, columns)))
		})
		ADDQ(U32(uint32(v.bytes())), dst)
		ADDQ(U32(uint32(v.bytes())), src)
		SUBQ(U32(uint32(v.lanes)), n)
		JNZ(LabelRef(again))
		end()
	})
}

// eachSize writes code for each size of a tile, and jumps to the code for the parameters rows and columns. body writes
// a loop, which starts at the label again, and the function's end.
func eachSize(body func(rows, columns int, again string)) {
	choose("rows", "tile", func(rows int, label string) {
		choose("columns", label, func(columns int, label string) {
			body(rows, columns, label)
		})
	})
}

// choose writes a variant for each number from 1 to winograd.Outputs, and a jump to the parameter's.
func choose(parameter, prefix string, variant func(n int, label string)) {
	size := load(parameter)
	label := func(n int) string { return fmt.Sprint(prefix, n) }
	for n := 1; n < winograd.Outputs; n++ {
		CMPQ(size, U32(uint32(n)))
		JEQ(LabelRef(label(n)))
	}
	for n := winograd.Outputs; n > 0; n-- {
		Label(label(n))
		variant(n, label(n))
	}
}

// masked loads a register where the mask is all ones, and zeros where it is 0.
func (v isa) masked(from, mask Mem) VecVirtual {
	x := v.register()
	if v.lanes == 16 {
		k := K()
		KMOVW(mask, k)
		VMOVUPS_Z(from, k, x)
	} else {
		VBROADCASTSS(mask, x)
		VANDPS(from, x, x)
	}
	return x
}

// planes writes planesGo for n elements, a multiple of the lanes. Distances are in bytes.
func (v isa) planes(name string, m winograd.Matrix) {
	v.begin(name, planesSignature, planesDoc)
	scratch := v.scratch(len(m) * len(m[0]))
	dst, dstPlane, src, srcPlane, n := load("dst"), load("dstPlane"), load("src"), load("srcPlane"), load("n")
	dstRow, srcRow := multiple(len(m), dstPlane), multiple(len(m[0]), srcPlane)
	Label("elements")
	read, write := lines(src, srcPlane, srcRow), lines(dst, dstRow, dstPlane)
	v.sandwich(m, m, scratch, func(p, q int) VecVirtual {
		return v.loaded(read(q, p))
	}, func(i, j int, y VecVirtual) {
		VMOVUPS(y, write(i, j))
	})
	ADDQ(U32(uint32(v.bytes())), dst)
	ADDQ(U32(uint32(v.bytes())), src)
	SUBQ(U32(uint32(v.lanes)), n)
	JNZ(LabelRef("elements"))
	end()
}

// scatter writes scatterGo for n channels, a multiple of the lanes. Distances are in bytes; dst, residual and mask point
// to the tile's first float.
func (v isa) scatter(name string, matrices [winograd.Outputs + 1]winograd.Matrix) {
	v.begin(name, scatterSignature, scatterDoc)
	scratch := v.scratch(winograd.Outputs * winograd.Points)
	channel := GP64() // in bytes
	XORQ(channel, channel)
	eachSize(func(rows, columns int, again string) {
		src, plane := load("src"), load("plane")
		ADDQ(channel, src)
		read := lines(src, plane, multiple(winograd.Points, plane))
		var to, first, row, column, dst, residual, mask, relu GPVirtual
		var offset, zero VecVirtual
		v.sandwich(matrices[rows], matrices[columns], scratch, func(p, q int) VecVirtual {
			return v.loaded(read(winograd.Point(q, columns), winograd.Point(p, rows)))
		}, func(i, j int, y VecVirtual) {
			label := func(name string) string { return fmt.Sprintf("%s%d%d%d%d", name, rows, columns, i, j) }
			switch {
			case i == 0 && j == 0:
				offset, zero = v.zero(), v.zero()
				bias := load("bias")
				TESTQ(bias, bias)
				JZ(LabelRef(label("noBias")))
				VMOVUPS(at(bias, channel, 1), offset) // added to all elements
				Label(label("noBias"))
				row, column, first, to = load("row"), load("column"), GP64(), GP64()
				dst, residual, mask, relu = load("dst"), load("residual"), load("mask"), load("relu")
				MOVQ(channel, first)
				MOVQ(first, to)
			case j == 0:
				ADDQ(row, first)
				MOVQ(first, to)
			default:
				ADDQ(column, to)
			}
			VADDPS(offset, y, y)
			TESTQ(residual, residual)
			JZ(LabelRef(label("noResidual")))
			VADDPS(at(residual, to, 1), y, y)
			Label(label("noResidual"))
			TESTQ(relu, relu)
			JZ(LabelRef(label("noReLU")))
			VMAXPS(y, zero, y) // this operand order keeps NaN
			Label(label("noReLU"))
			TESTQ(mask, mask)
			JZ(LabelRef(label("store")))
			v.keepWhereAbove(at(mask, to, 1), zero, y)
			Label(label("store"))
			VMOVUPS(y, at(dst, to, 1))
		})
		ADDQ(U32(uint32(v.bytes())), channel)
		left := load("n")
		SHLQ(Imm(2), left)
		CMPQ(channel, left)
		JLT(LabelRef(again))
		end()
	})
}

// keepWhereAbove replaces x by 0 where memory is not above 0.
func (v isa) keepWhereAbove(memory Mem, zero, x VecVirtual) {
	const greater = 0x1e // ordered, quiet
	y := v.loaded(memory)
	if v.lanes == 16 {
		k := K()
		VCMPPS(Imm(greater), zero, y, k)
		VMOVAPS_Z(x, k, x)
	} else {
		VCMPPS(Imm(greater), zero, y, y)
		VANDPS(y, x, x)
	}
}

// reluGradient writes ReLUGradient for n elements, a multiple of the lanes.
func (v isa) reluGradient() {
	v.begin("reluGradient", reluGradientSignature, reluGradientDoc)
	dst, y, grad, n := load("dst"), load("y"), load("grad"), load("n")
	zero := v.zero()
	Label("elements")
	x := v.loaded(Mem{Base: grad})
	v.keepWhereAbove(Mem{Base: y}, zero, x)
	VMOVUPS(x, Mem{Base: dst})
	for _, p := range []GPVirtual{dst, y, grad} {
		ADDQ(U32(uint32(v.bytes())), p)
	}
	SUBQ(U32(uint32(v.lanes)), n)
	JNZ(LabelRef("elements"))
	end()
}

func (v isa) peak() {
	v.begin("peak", "(n int)", "is the loop of Peak.")
	n := load("n")
	zero := v.zero()
	sums := make([]VecVirtual, peakSums)
	for i := range sums {
		sums[i] = v.register()
		VMOVAPS(zero, sums[i])
	}
	Label("rounds")
	for _, sum := range sums {
		VFMADD231PS(zero, zero, sum)
	}
	DECQ(n)
	JNZ(LabelRef("rounds"))
	end()
}

// peakSums keeps two units with a latency of four cycles busy and fits in the registers.
const peakSums = 12

// cacheLine is in bytes.
const cacheLine = 64

func (v isa) prefetch() {
	v.begin("prefetch", "(s []float32)", "asks for the cache lines of s without waiting for them.")
	from, count := GP64(), GP64()
	Load(Param("s").Base(), from)
	Load(Param("s").Len(), count)
	Label("lines")
	CMPQ(count, Imm(0))
	JLE(LabelRef("done"))
	PREFETCHT1(Mem{Base: from})
	ADDQ(Imm(cacheLine), from)
	SUBQ(Imm(cacheLine/4), count)
	JMP(LabelRef("lines"))
	Label("done")
	RET()
}
