package main

import "fmt"

// gemm writes the product for columns of two registers. Strides are in bytes.
func (a *neon) gemm(rows int) {
	a.begin("gemm8", gemmSignature, "is gemmGo with 8 columns, m and k above 0.")
	p := &neonProduct{neon: a, m: a.load("m"), k: a.load("k"), a: a.load("a"), colA: a.load("colA"), b: a.load("b"),
		ldb: a.load("ldb"), c: a.load("c"), ldc: a.load("ldc"), bias: a.load("bias"), mode: a.load("mode"),
		count: a.free(), from: a.free(), term: a.free()}
	p.rows = []string{"", a.load("rowA")}
	for i := 2; i <= rows; i++ {
		p.rows = append(p.rows, a.free())
		a.op("ADD %s, %s, %s", p.rows[1], p.rows[i-1], p.rows[i])
	}
	a.label("rows")
	lastBlocks(rows, 2, func(left, rows int) {
		a.op("CMP $%d, %s", left, p.m)
		a.op("BEQ block%d", rows)
	})
	for n := rows; n > 0; n-- {
		a.label(fmt.Sprintf("block%d", n))
		p.block(n)
		a.op("ADD %s, %s", p.rows[n], p.a)
		a.op("SUB $%d, %s", n, p.m)
		a.op("CBNZ %s, rows", p.m)
		a.op("B done")
	}
	a.label("done")
	a.end()
}

type neonProduct struct {
	*neon
	m, k, a, colA, b, ldb, c, ldc, bias, mode string
	count, from, term                         string
	rows                                      []string // distances from a row of a
}

// block computes rows and advances c past them. Row i's sums are in registers 2i and 2i+1, the terms' columns in the
// two after the sums, and factors in those up to 25.
func (p *neonProduct) block(rows int) {
	label := func(name string) string { return fmt.Sprintf("%s%d", name, rows) }
	p.start(rows, label)
	p.op("MOVD %s, %s", p.a, p.from)
	p.op("MOVD %s, %s", p.b, p.term)
	p.op("MOVD %s, %s", p.k, p.count)
	const columns, factors = vector(16), vector(18)
	p.label(label("terms"))
	p.op("VLD1.P (%s)(%s), %s", p.term, p.ldb, pair(columns))
	p.op("FMOVS (%s), %s", p.from, factors.whole())
	for i := 1; i < rows; i++ {
		p.op("FMOVS (%s)(%s), %s", p.from, p.rows[i], (factors + vector(i)).whole())
	}
	p.op("ADD %s, %s", p.colA, p.from)
	for i := range vector(rows) {
		p.fusedLane(factors+i, 0, columns, 2*i)
		p.fusedLane(factors+i, 0, columns+1, 2*i+1)
	}
	p.again(p.count, 1, label("terms"))
	p.finish(rows, label)
}

// pair names a register and the next one.
func pair(x vector) string { return fmt.Sprintf("[%v.S4, %v.S4]", x, x+1) }

func (p *neonProduct) start(rows int, label func(string) string) {
	p.op("TBNZ $0, %s, %s", p.mode, label("fromC"))
	p.op("CBNZ %s, %s", p.bias, label("fromBias"))
	for sum := range vector(2 * rows) {
		p.zero(sum)
	}
	p.op("B %s", label("started"))
	p.label(label("fromBias"))
	for i := range vector(rows) {
		p.op("VLD1 (%s), %s", p.bias, pair(2*i))
	}
	p.op("B %s", label("started"))
	p.label(label("fromC"))
	p.op("MOVD %s, %s", p.c, p.from)
	for i := range vector(rows) {
		p.op("VLD1.P (%s)(%s), %s", p.from, p.ldc, pair(2*i))
	}
	p.label(label("started"))
}

func (p *neonProduct) finish(rows int, label func(string) string) {
	p.op("TBZ $1, %s, %s", p.mode, label("store"))
	for sum := range vector(2 * rows) {
		p.positive(sum)
	}
	p.label(label("store"))
	for i := range vector(rows) {
		p.op("VST1.P %s, (%s)(%s)", pair(2*i), p.c, p.ldc)
	}
}
