package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gather writes gatherGo for the channels below n, a multiple of the lanes. plane is in bytes.
func (v isa) gather(name string, m matrix) {
	v.begin(name, "(dst *float32, plane uintptr, src *float32, cells *uint32, n int)",
		"is gatherGo for n channels, a multiple of the lanes.")
	scratch := v.scratch(len(m) * len(m[0]))
	dst, plane, src, cells, n := load("dst"), load("plane"), load("src"), load("cells"), load("n")
	Label("channels")
	v.sandwich(m, scratch, func(i int) VecVirtual {
		offset := GP64()
		MOVL(Mem{Base: cells}.Offset(8*i), offset.As32())
		return v.masked(at(src, offset, 1), Mem{Base: cells}.Offset(8*i+4))
	}, v.writePlanes(dst, plane, len(m)))
	ADDQ(U32(uint32(v.bytes())), dst)
	ADDQ(U32(uint32(v.bytes())), src)
	SUBQ(U32(uint32(v.lanes)), n)
	JNZ(LabelRef("channels"))
	end()
}

// masked loads a register where the mask in memory is all ones, and 0 where it is 0.
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

// planes writes planesGo for n elements, a multiple of the lanes. The planes' distances are in bytes.
func (v isa) planes(name string, m matrix) {
	v.begin(name, "(dst *float32, dstPlane uintptr, src *float32, srcPlane uintptr, n int)",
		"is planesGo for n elements, a multiple of the lanes.")
	scratch := v.scratch(len(m) * len(m[0]))
	dst, dstPlane, src, srcPlane, n := load("dst"), load("dstPlane"), load("src"), load("srcPlane"), load("n")
	Label("elements")
	v.sandwich(m, scratch, v.readPlanes(src, srcPlane, len(m[0])), v.writePlanes(dst, dstPlane, len(m)))
	ADDQ(U32(uint32(v.bytes())), dst)
	ADDQ(U32(uint32(v.bytes())), src)
	SUBQ(U32(uint32(v.lanes)), n)
	JNZ(LabelRef("elements"))
	end()
}

// scatter writes scatterGo for n channels, a multiple of the lanes. Distances are in bytes; dst and residual are the
// addresses of the tile's first float.
func (v isa) scatter(name string, m matrix) {
	v.begin(name, "(dst *float32, row, column uintptr, rows, columns int, src *float32, plane uintptr, "+
		"bias, residual *float32, relu, n int)", "is scatterGo for n channels, a multiple of the lanes.")
	side := len(m)
	scratch := v.scratch(side * len(m[0]))
	tile := v.scratch(side * side)
	channel := GP64() // in bytes
	XORQ(channel, channel)

	Label("channels")
	src, plane := load("src"), load("plane")
	ADDQ(channel, src)
	v.sandwich(m, scratch, v.readPlanes(src, plane, len(m[0])), func(i int, y VecVirtual) {
		VMOVUPS(y, tile.Offset(i*v.bytes()))
	})

	offset := v.zero() // what is added to all elements
	bias := load("bias")
	TESTQ(bias, bias)
	JZ(LabelRef("noBias"))
	VMOVUPS(at(bias, channel, 1), offset)
	Label("noBias")
	zero := v.zero()

	at0, rows := GP64(), load("rows")
	MOVQ(channel, at0)
	from := GP64()
	LEAQ(tile, from)
	dst, residual, relu := load("dst"), load("residual"), load("relu")
	Label("rows")
	to, element, columns := GP64(), GP64(), load("columns")
	MOVQ(at0, to)
	MOVQ(from, element)
	Label("columns")
	y := v.register()
	VMOVUPS(Mem{Base: element}, y)
	VADDPS(offset, y, y)
	TESTQ(residual, residual)
	JZ(LabelRef("noResidual"))
	VADDPS(at(residual, to, 1), y, y)
	Label("noResidual")
	TESTQ(relu, relu)
	JZ(LabelRef("store"))
	VMAXPS(y, zero, y) // in this order NaN stays
	Label("store")
	VMOVUPS(y, at(dst, to, 1))
	ADDQ(U32(uint32(v.bytes())), element)
	column := load("column")
	ADDQ(column, to)
	DECQ(columns)
	JNZ(LabelRef("columns"))
	ADDQ(U32(uint32(side*v.bytes())), from)
	row := load("row")
	ADDQ(row, at0)
	DECQ(rows)
	JNZ(LabelRef("rows"))

	ADDQ(U32(uint32(v.bytes())), channel)
	left := load("n")
	SHLQ(Imm(2), left)
	CMPQ(channel, left)
	JLT(LabelRef("channels"))
	end()
}

// reluGradient writes the loop of ReLUGradient for n elements, a multiple of the lanes.
func (v isa) reluGradient() {
	v.begin("reluGradient", "(dst, y, grad *float32, n int)",
		"is the loop of ReLUGradient for n elements, a multiple of the lanes.")
	dst, y, grad, n := load("dst"), load("y"), load("grad"), load("n")
	zero := v.zero()
	const greater = 0x1e // ordered, quiet
	Label("elements")
	x := v.register()
	VMOVUPS(Mem{Base: y}, x)
	if v.lanes == 16 {
		k := K()
		VCMPPS(Imm(greater), zero, x, k)
		VMOVUPS_Z(Mem{Base: grad}, k, x)
	} else {
		VCMPPS(Imm(greater), zero, x, x)
		VANDPS(Mem{Base: grad}, x, x)
	}
	VMOVUPS(x, Mem{Base: dst})
	for _, p := range []GPVirtual{dst, y, grad} {
		ADDQ(U32(uint32(v.bytes())), p)
	}
	SUBQ(U32(uint32(v.lanes)), n)
	JNZ(LabelRef("elements"))
	end()
}

// peak writes the loop of Peak.
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

// peakSums is enough to keep two units of four cycles' latency busy, and few enough for the registers.
const peakSums = 12
