package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gather writes gatherGo for the channels below n, a multiple of the lanes. plane is in bytes.
func (v isa) gather(name string, matrices [tileOut + 1]matrix) {
	v.begin(name, gatherSignature, gatherDoc)
	scratch := v.scratch(side * side)
	dst, plane, src, n := load("dst"), load("plane"), load("src"), load("n")
	Label("channels")

	// Columns of the tile to scratch.
	cells, half, count := load("cells"), GP64(), load("columns")
	LEAQ(scratch, half)
	addInputs(matrices, count)
	choose("rows", "column", "halfway", func(size int, again string) {
		m := matrices[size]
		x := make([]VecVirtual, len(m[0]))
		for p := range x {
			offset := GP64()
			MOVL(Mem{Base: cells}.Offset(8*p), offset.As32())
			x[p] = v.masked(at(src, offset, 1), Mem{Base: cells}.Offset(8*p+4))
		}
		multiply(v, m, x, func(i int, y VecVirtual) { VMOVUPS(y, Mem{Base: half}.Offset(i*side*v.bytes())) })
		ADDQ(U32(uint32(8*len(x))), cells)
		ADDQ(U32(uint32(v.bytes())), half)
		DECQ(count)
		JNZ(LabelRef(again))
	})

	// Rows of the scratch to planes.
	from, count, row := GP64(), load("rows"), newPointRows(dst, plane)
	LEAQ(scratch, from)
	ADDQ(U32(edge), count)
	choose("columns", "row", "done", func(size int, again string) {
		m := matrices[size]
		to := newStrided(row.base, plane)
		multiply(v, m, v.readRow(from, len(m[0])), func(i int, y VecVirtual) { VMOVUPS(y, to.element(point(i, size))) })
		ADDQ(U32(uint32(side*v.bytes())), from)
		row.next(count, again)
	})

	ADDQ(U32(uint32(v.bytes())), dst)
	ADDQ(U32(uint32(v.bytes())), src)
	SUBQ(U32(uint32(v.lanes)), n)
	JNZ(LabelRef("channels"))
	end()
}

// edge is how much larger an input tile is.
const edge = 2

// addInputs turns a matrix's number of outputs into its number of inputs.
func addInputs(matrices [tileOut + 1]matrix, outputs GPVirtual) {
	if more := len(matrices[tileOut][0]) - tileOut; more > 0 {
		ADDQ(U32(uint32(more)), outputs)
	}
}

// choose writes a loop for each tile size, 1 to tileOut, and a jump to the loop for the parameter's size. body writes a
// loop's body, which ends with a jump to again. All loops continue at done.
func choose(parameter, name, done string, body func(size int, again string)) {
	size := load(parameter)
	label := func(n int) string { return fmt.Sprintf("%s%d", name, n) }
	for n := tileOut - 1; n > 0; n-- {
		CMPQ(size, U32(uint32(n)))
		JEQ(LabelRef(label(n)))
	}
	for n := tileOut; n > 0; n-- {
		Label(label(n))
		body(n, label(n))
		if n > 1 {
			JMP(LabelRef(done))
		}
	}
	Label(done)
}

// pointRows iterates over a tile's rows of planes: the first ones and the last.
type pointRows struct {
	base, step, last GPVirtual
}

func newPointRows(first, plane GPVirtual) pointRows {
	r := pointRows{GP64(), multiple(side, plane), multiple(side*(side-1), plane)}
	MOVQ(first, r.base)
	ADDQ(first, r.last)
	return r
}

// next advances by a row or a column, decrements count, and jumps to again unless it is 0.
func (r pointRows) next(count GPVirtual, again string) {
	ADDQ(r.step, r.base)
	CMPQ(count, U32(2))
	CMOVQEQ(r.last, r.base)
	DECQ(count)
	JNZ(LabelRef(again))
}

func (v isa) readRow(from GPVirtual, columns int) []VecVirtual {
	x := make([]VecVirtual, columns)
	for p := range x {
		x[p] = v.read(Mem{Base: from}.Offset(p * v.bytes()))
	}
	return x
}

func (v isa) read(from Mem) VecVirtual {
	x := v.register()
	VMOVUPS(from, x)
	return x
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
func (v isa) planes(name string, m matrix) {
	v.begin(name, planesSignature, planesDoc)
	scratch := v.scratch(len(m) * len(m[0]))
	dst, dstPlane, src, srcPlane, n := load("dst"), load("dstPlane"), load("src"), load("srcPlane"), load("n")
	Label("elements")
	half := func(i int) Mem { return scratch.Offset(i * v.bytes()) }
	sandwich(v, m, v.readPlanes(src, srcPlane, len(m[0])), func(i int, y VecVirtual) { VMOVUPS(y, half(i)) },
		func(i int) VecVirtual { return v.read(half(i)) }, v.writePlanes(dst, dstPlane, len(m)))
	ADDQ(U32(uint32(v.bytes())), dst)
	ADDQ(U32(uint32(v.bytes())), src)
	SUBQ(U32(uint32(v.lanes)), n)
	JNZ(LabelRef("elements"))
	end()
}

// scatter writes scatterGo for n channels, a multiple of the lanes. Distances are in bytes; dst, residual and mask point
// to the tile's first float.
func (v isa) scatter(name string, matrices [tileOut + 1]matrix) {
	v.begin(name, scatterSignature, scatterDoc)
	scratch := v.scratch(tileOut * side)
	channel := GP64() // in bytes
	XORQ(channel, channel)
	Label("channels")

	// Columns of points to scratch.
	src, plane, half, count := load("src"), load("plane"), GP64(), load("columns")
	ADDQ(channel, src)
	LEAQ(scratch, half)
	ADDQ(U32(edge), count)
	step, column, last := multiple(side, plane), GP64(), multiple(side-1, plane)
	MOVQ(src, column)
	ADDQ(src, last)
	next := pointRows{column, plane, last}
	choose("rows", "column", "halfway", func(size int, again string) {
		m := matrices[size]
		from := newStrided(column, step)
		x := make([]VecVirtual, len(m[0]))
		for p := range x {
			x[p] = v.read(from.element(point(p, size)))
		}
		multiply(v, m, x, func(i int, y VecVirtual) { VMOVUPS(y, Mem{Base: half}.Offset(i*side*v.bytes())) })
		ADDQ(U32(uint32(v.bytes())), half)
		next.next(count, again)
	})

	offset := v.zero() // added to all elements
	bias := load("bias")
	TESTQ(bias, bias)
	JZ(LabelRef("noBias"))
	VMOVUPS(at(bias, channel, 1), offset)
	Label("noBias")
	zero := v.zero()

	// Rows of the scratch to the image.
	dst, residual, mask, relu, toColumn := load("dst"), load("residual"), load("mask"), load("relu"), load("column")
	from, first, rows := GP64(), GP64(), load("rows")
	LEAQ(scratch, from)
	MOVQ(channel, first)
	choose("columns", "row", "done", func(size int, again string) {
		m := matrices[size]
		to := GP64()
		MOVQ(first, to)
		multiply(v, m, v.readRow(from, len(m[0])), func(i int, y VecVirtual) {
			label := func(name string) string { return fmt.Sprintf("%s%d%d", name, size, i) }
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
			if i < size-1 {
				ADDQ(toColumn, to)
			}
		})
		ADDQ(U32(uint32(side*v.bytes())), from)
		row := load("row")
		ADDQ(row, first)
		DECQ(rows)
		JNZ(LabelRef(again))
	})

	ADDQ(U32(uint32(v.bytes())), channel)
	left := load("n")
	SHLQ(Imm(2), left)
	CMPQ(channel, left)
	JLT(LabelRef("channels"))
	end()
}

// keepWhereAbove replaces x by 0 where memory is not above 0.
func (v isa) keepWhereAbove(memory Mem, zero, x VecVirtual) {
	const greater = 0x1e // ordered, quiet
	y := v.register()
	VMOVUPS(memory, y)
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
	x := v.register()
	VMOVUPS(Mem{Base: grad}, x)
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

func (v isa) prefetch() {
	const line = 64 // bytes
	v.begin("prefetch", "(s []float32)", "asks for the cache lines of s without waiting for them.")
	from, count := GP64(), GP64()
	Load(Param("s").Base(), from)
	Load(Param("s").Len(), count)
	Label("lines")
	CMPQ(count, Imm(0))
	JLE(LabelRef("done"))
	PREFETCHT1(Mem{Base: from})
	ADDQ(Imm(line), from)
	SUBQ(Imm(line/4), count)
	JMP(LabelRef("lines"))
	Label("done")
	RET()
}
