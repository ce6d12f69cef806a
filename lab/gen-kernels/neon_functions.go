package main

import (
	"fmt"

	"tengen/internal/kernel/winograd"
)

// edge is how much larger an input tile is.
const edge = 2

// gather writes gatherGo for the channels below n. plane is in bytes.
func (a *neon) gather(name string, matrices [winograd.Outputs + 1]winograd.Matrix) {
	a.begin(name, gatherSignature, gatherDoc)
	a.scratch(winograd.Points * winograd.Points)
	dst, plane, src, n := a.load("dst"), a.load("plane"), a.load("src"), a.load("n")
	cells, half, count, size, address := a.free(), a.free(), a.free(), a.free(), a.free()
	row, to, toLast := a.free(), a.free(), a.free()
	last := a.multiple(winograd.Points-1, plane)
	step, lastRow := a.multiple(winograd.Points, plane), a.multiple(winograd.Points*(winograd.Points-1), plane)
	a.op("ADD %s, %s", dst, lastRow)
	a.label("channels")

	// Columns of the tile to scratch.
	a.reload("cells", cells)
	a.reload("columns", count)
	a.useScratch(half)
	a.op("ADD $%d, %s", len(matrices[winograd.Outputs][0])-winograd.Outputs, count)
	a.choose("rows", size, "column", "halfway", func(size int, again string) {
		x := make([]vector, len(matrices[size][0]))
		for p := range x {
			x[p] = a.register()
			a.op("MOVWU.P 4(%s), %s", cells, address)
			a.op("VLD1R.P 4(%s), [%v.S4]", cells, pinned)
			a.op("ADD %s, %s", src, address)
			a.op("FMOVQ (%s), %s", address, x[p].whole())
			a.op("VAND %v.B16, %v.B16, %v.B16", pinned, x[p], x[p])
		}
		multiply(a, matrices[size], x, a.toColumn(half))
		a.op("ADD $%d, %s", neonBytes, half)
		a.again(count, 1, again)
	})

	// Rows of the scratch to planes.
	a.useScratch(half)
	a.reload("rows", count)
	a.op("ADD $%d, %s", edge, count)
	a.op("MOVD %s, %s", dst, row)
	a.choose("columns", size, "row", "done", func(size int, again string) {
		a.op("MOVD %s, %s", row, to)
		a.op("ADD %s, %s, %s", last, row, toLast)
		multiply(a, matrices[size], a.readRow(half, len(matrices[size][0])), func(i int, y vector) {
			if i == size+1 {
				a.op("FMOVQ %s, (%s)", y.whole(), toLast)
			} else {
				a.op("VST1.P [%v.S4], (%s)(%s)", y, to, plane)
			}
		})
		a.op("ADD $%d, %s", winograd.Points*neonBytes, half)
		a.nextPoint(row, step, lastRow, count, again)
	})

	for _, r := range []string{dst, lastRow, src} {
		a.op("ADD $%d, %s", neonBytes, r)
	}
	a.again(n, neonLanes, "channels")
	a.end()
}

// choose writes a loop for each tile size, as the function of amd64 does, with size as a scratch register.
func (a *neon) choose(parameter, size, name, done string, body func(size int, again string)) {
	a.reload(parameter, size)
	label := func(n int) string { return fmt.Sprintf("%s%d", name, n) }
	for n := winograd.Outputs - 1; n > 0; n-- {
		a.op("CMP $%d, %s", n, size)
		a.op("BEQ %s", label(n))
	}
	for n := winograd.Outputs; n > 0; n-- {
		a.label(label(n))
		body(n, label(n))
		if n > 1 {
			a.op("B %s", done)
		}
	}
	a.label(done)
}

// nextPoint advances base to the next row or column of points, of which the last is at infinity, decrements count, and
// jumps to again unless it is 0.
func (a *neon) nextPoint(base, step, last, count, again string) {
	a.op("ADD %s, %s", step, base)
	a.op("CMP $2, %s", count)
	a.op("CSEL EQ, %s, %s, %s", last, base, base)
	a.again(count, 1, again)
}

// toColumn returns multiply's emit for a column of scratch.
func (a *neon) toColumn(half string) func(i int, y vector) {
	return func(i int, y vector) { a.op("FMOVQ %s, %d(%s)", y.whole(), i*winograd.Points*neonBytes, half) }
}

func (a *neon) readRow(from string, columns int) []vector {
	x := make([]vector, columns)
	for p := range x {
		x[p] = a.register()
		a.op("FMOVQ %d(%s), %s", p*neonBytes, from, x[p].whole())
	}
	return x
}

// scatter writes scatterGo for n channels. Distances are in bytes; dst, residual and mask point to the tile's first float.
func (a *neon) scatter(name string, matrices [winograd.Outputs + 1]winograd.Matrix) {
	a.begin(name, scatterSignature, scatterDoc)
	a.scratch(winograd.Outputs * winograd.Points)
	src, plane, n, channel := a.load("src"), a.load("plane"), a.load("n"), a.free()
	half, count, size := a.free(), a.free(), a.free()
	column, from, fromLast := a.free(), a.free(), a.free()
	step, last, lastColumn := a.multiple(winograd.Points, plane), a.multiple(winograd.Points*(winograd.Points-1), plane), a.multiple(winograd.Points-1, plane)
	a.op("ADD %s, %s", src, lastColumn)
	dst, residual, mask, bias := a.load("dst"), a.load("residual"), a.load("mask"), a.load("bias")
	relu, nextColumn, nextRow := a.load("relu"), a.load("column"), a.load("row")
	a.op("MOVD $0, %s", channel)
	a.label("channels")

	// Columns of points to scratch.
	a.reload("columns", count)
	a.op("ADD $%d, %s", edge, count)
	a.op("MOVD %s, %s", src, column)
	a.useScratch(half)
	a.choose("rows", size, "column", "halfway", func(size int, again string) {
		a.op("MOVD %s, %s", column, from)
		a.op("ADD %s, %s, %s", last, column, fromLast)
		x := make([]vector, size+edge)
		for p := range x {
			x[p] = a.register()
			if p == size+1 {
				a.op("FMOVQ (%s), %s", fromLast, x[p].whole())
			} else {
				a.op("VLD1.P (%s)(%s), [%v.S4]", from, step, x[p])
			}
		}
		multiply(a, matrices[size], x, a.toColumn(half))
		a.op("ADD $%d, %s", neonBytes, half)
		a.nextPoint(column, plane, lastColumn, count, again)
	})

	// Rows of the scratch to the image.
	const offset = pinned // added to all elements
	row, to, address := column, from, fromLast
	a.zero(offset)
	a.op("CBZ %s, noBias", bias)
	a.op("ADD %s, %s, %s", channel, bias, address)
	a.op("FMOVQ (%s), %s", address, offset.whole())
	a.label("noBias")
	a.useScratch(half)
	a.reload("rows", count)
	a.op("MOVD %s, %s", channel, row)
	a.choose("columns", size, "row", "done", func(size int, again string) {
		a.op("MOVD %s, %s", row, to)
		multiply(a, matrices[size], a.readRow(half, size+edge), func(i int, y vector) {
			label := func(name string) string { return fmt.Sprintf("%s%d%d", name, size, i) }
			a.addScaled(y, 1, offset)
			a.op("CBZ %s, %s", residual, label("noResidual"))
			a.op("ADD %s, %s, %s", to, residual, address)
			a.op("FMOVQ (%s), %s", address, spare.whole())
			a.addScaled(y, 1, spare)
			a.label(label("noResidual"))
			a.op("CBZ %s, %s", relu, label("noReLU"))
			a.positive(y)
			a.label(label("noReLU"))
			a.op("CBZ %s, %s", mask, label("store"))
			a.op("ADD %s, %s, %s", to, mask, address)
			a.op("FMOVQ (%s), %s", address, spare.whole())
			a.keepWhereAbove(spare, y)
			a.label(label("store"))
			a.op("ADD %s, %s, %s", to, dst, address)
			a.op("FMOVQ %s, (%s)", y.whole(), address)
			a.op("ADD %s, %s", nextColumn, to)
		})
		a.op("ADD $%d, %s", winograd.Points*neonBytes, half)
		a.op("ADD %s, %s", nextRow, row)
		a.again(count, 1, again)
	})

	for _, r := range []string{src, lastColumn, channel} {
		a.op("ADD $%d, %s", neonBytes, r)
	}
	a.again(n, neonLanes, "channels")
	a.end()
}

// planes writes planesGo for n elements. Distances are in bytes.
func (a *neon) planes(name string, m winograd.Matrix) {
	a.begin(name, planesSignature, planesDoc)
	a.scratch(len(m) * len(m[0]))
	dst, dstPlane, src, srcPlane, n := a.load("dst"), a.load("dstPlane"), a.load("src"), a.load("srcPlane"), a.load("n")
	half, column, from, to := a.free(), a.free(), a.free(), a.free()
	columns := len(m[0])
	step := a.multiple(columns, srcPlane)
	a.useScratch(half)
	a.label("elements")
	a.op("MOVD %s, %s", src, column)
	a.op("MOVD %s, %s", dst, to)
	sandwich(a, m, m, len(m), func(p, _ int) vector { // reads all elements, column by column
		if p == 0 {
			a.op("MOVD %s, %s", column, from)
			a.op("ADD %s, %s", srcPlane, column)
		}
		x := a.register()
		a.op("VLD1.P (%s)(%s), [%v.S4]", from, step, x)
		return x
	}, func(i, q int, y vector) {
		a.op("FMOVQ %s, %d(%s)", y.whole(), (i*columns+q)*neonBytes, half)
	}, func(i, q int) vector {
		x := a.register()
		a.op("FMOVQ %d(%s), %s", (i*columns+q)*neonBytes, half, x.whole())
		return x
	}, func(_, _ int, y vector) {
		a.op("VST1.P [%v.S4], (%s)(%s)", y, to, dstPlane)
	})
	a.op("ADD $%d, %s", neonBytes, dst)
	a.op("ADD $%d, %s", neonBytes, src)
	a.again(n, neonLanes, "elements")
	a.end()
}

// reluGradient writes ReLUGradient for n elements.
func (a *neon) reluGradient() {
	a.begin("reluGradient", reluGradientSignature, reluGradientDoc)
	dst, y, grad, n := a.load("dst"), a.load("y"), a.load("grad"), a.load("n")
	above, x := a.register(), a.register()
	a.label("elements")
	a.op("VLD1.P %d(%s), [%v.S4]", neonBytes, y, above)
	a.op("VLD1.P %d(%s), [%v.S4]", neonBytes, grad, x)
	a.keepWhereAbove(above, x)
	a.op("VST1.P [%v.S4], %d(%s)", x, neonBytes, dst)
	a.again(n, neonLanes, "elements")
	a.end()
}

// prefetch asks for n floats.
func (a *neon) prefetch() {
	const line = 64 // bytes
	a.begin("prefetch", "(from *float32, n int)", "asks for the cache lines of n floats, n above 0, without waiting for them.")
	from, n := a.load("from"), a.load("n")
	a.label("lines")
	a.op("PRFM (%s), PLDL2KEEP", from)
	a.op("ADD $%d, %s", line, from)
	a.op("SUBS $%d, %s", line/4, n)
	a.op("BGT lines")
	a.end()
}

// peak counts 8 lanes, so each of peakSums takes two registers.
func (a *neon) peak() {
	a.begin("peak", "(n int)", "is the loop of Peak.")
	n := a.load("n")
	for sum := range 2 * vector(peakSums) {
		a.zero(sum)
	}
	a.zero(pinned)
	a.label("rounds")
	for sum := range 2 * vector(peakSums) {
		a.fusedLane(pinned, 0, pinned, sum)
	}
	a.again(n, 1, "rounds")
	a.end()
}
