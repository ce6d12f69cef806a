package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The bits of kernel's mode.
const (
	accumulate = 1
	rectify    = 2
)

// inFlight is the number of independent sums that keep two units with a latency of four cycles busy.
const inFlight = 8

// unrolled is the number of terms in the product's loop.
const unrolled = 4

// gemm writes the product for columns of the given number of registers. Strides are in bytes.
func (v isa) gemm(rows, registers int) {
	v.begin(fmt.Sprintf("gemm%d", registers*v.lanes),
		gemmAheadSignature,
		fmt.Sprintf("is gemmGo with %d columns, m and k above 0.", registers*v.lanes))
	g := &product{isa: v, registers: registers}
	g.m, g.a, g.rowA, g.colA = load("m"), load("a"), load("rowA"), load("colA")
	g.b, g.ldb, g.c = load("b"), load("ldb"), load("c")

	block := func(n int) string { return fmt.Sprintf("block%d", n) }
	Label("rows")
	lastBlocks(rows, registers, func(left, n int) {
		CMPQ(g.m, U32(uint32(left)))
		JEQ(LabelRef(block(n)))
	})
	for n := rows; n > 0; n-- {
		Label(block(n))
		g.block(n)
		SUBQ(U32(uint32(n)), g.m)
		JNZ(LabelRef("rows"))
		end()
	}
}

// lastBlocks calls choose with the size of a product's next block for each number of rows left that is too small for a
// block of full size. The last two blocks share their rows if the last one would have too few to keep the units busy.
func lastBlocks(rows, registers int, choose func(left, rows int)) {
	few := (inFlight-1)/registers + 1
	for left := 1; left < rows+few; left++ {
		if left <= rows {
			choose(left, left)
		} else {
			choose(left, (left+1)/2)
		}
	}
}

type product struct {
	isa
	registers        int
	m, a, rowA, colA GPVirtual
	b, ldb, c        GPVirtual
}

// block computes rows and advances a and c past them.
func (g *product) block(rows int) {
	sums := make([][]VecVirtual, rows)
	for i := range sums {
		for range g.registers {
			sums[i] = append(sums[i], g.register())
		}
	}
	label := func(name string) string { return fmt.Sprintf("%s%d", name, rows) }
	g.start(sums, label)

	// Row i of a is at bases[i/3] + (i%3)*rowA.
	var bases []GPVirtual
	for i := 0; i < rows; i += 3 {
		base := GP64()
		if i == 0 {
			MOVQ(g.a, base)
		} else {
			LEAQ(at(bases[i/3-1], g.rowA, 1), base)
			LEAQ(at(base, g.rowA, 2), base)
		}
		bases = append(bases, base)
	}
	b, ahead, count := GP64(), load("ahead"), load("k")
	MOVQ(g.b, b)
	term := func() {
		columns := make([]VecVirtual, g.registers)
		for j := range columns {
			columns[j] = g.register()
			VMOVUPS(Mem{Base: b}.Offset(j*g.bytes()), columns[j])
		}
		for line := 0; line < g.registers*g.bytes(); line += cacheLine {
			PREFETCHT0(at(b, ahead, 1).Offset(line))
		}
		for i := range sums {
			factor := g.register()
			VBROADCASTSS(at(bases[i/3], g.rowA, i%3), factor)
			for j := range columns {
				VFMADD231PS(columns[j], factor, sums[i][j])
			}
		}
		for _, base := range bases {
			ADDQ(g.colA, base)
		}
		ADDQ(g.ldb, b)
	}
	// A processor predicts the end of a short loop.
	Label(label("terms"))
	SUBQ(Imm(unrolled), count)
	JLT(LabelRef(label("last")))
	for range unrolled {
		term()
	}
	JMP(LabelRef(label("terms")))
	Label(label("last"))
	ADDQ(Imm(unrolled), count)
	JZ(LabelRef(label("summed")))
	Label(label("single"))
	term()
	DECQ(count)
	JNZ(LabelRef(label("single")))

	Label(label("summed"))
	g.finish(sums, label)
	for range rows {
		ADDQ(g.rowA, g.a)
	}
}

func (g *product) start(sums [][]VecVirtual, label func(string) string) {
	mode := load("mode")
	TESTQ(U32(accumulate), mode)
	JNZ(LabelRef(label("fromC")))
	bias := load("bias")
	TESTQ(bias, bias)
	JNZ(LabelRef(label("fromBias")))
	zero := g.zero()
	for _, row := range sums {
		for _, sum := range row {
			VMOVAPS(zero, sum)
		}
	}
	JMP(LabelRef(label("started")))

	Label(label("fromBias"))
	for j := range g.registers {
		for _, row := range sums {
			VMOVUPS(Mem{Base: bias}.Offset(j*g.bytes()), row[j])
		}
	}
	JMP(LabelRef(label("started")))

	Label(label("fromC"))
	ldc, c := load("ldc"), GP64()
	MOVQ(g.c, c)
	for _, row := range sums {
		for j, sum := range row {
			VMOVUPS(Mem{Base: c}.Offset(j*g.bytes()), sum)
		}
		ADDQ(ldc, c)
	}
	Label(label("started"))
}

func (g *product) finish(sums [][]VecVirtual, label func(string) string) {
	mode, ldc := load("mode"), load("ldc")
	TESTQ(U32(rectify), mode)
	JZ(LabelRef(label("store")))
	zero := g.zero()
	for _, row := range sums {
		for _, sum := range row {
			VMAXPS(sum, zero, sum) // this operand order keeps NaN
		}
	}
	Label(label("store"))
	for _, row := range sums {
		for j, sum := range row {
			VMOVUPS(sum, Mem{Base: g.c}.Offset(j*g.bytes()))
		}
		ADDQ(ldc, g.c)
	}
}
