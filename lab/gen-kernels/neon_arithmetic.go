package main

import "slices"

// Instructions without their registers.
const (
	fadd = 0x4e20d400
	fsub = 0x4ea0d400
)

// encode writes an instruction that Go's assembler lacks, on all lanes: d = name(n, m). The encodings are in Arm's
// Architecture Reference Manual, section C7.2.
func (a *neon) encode(name string, word uint32, m, n, d vector) {
	word |= uint32(m)<<16 | uint32(n)<<5 | uint32(d)
	a.op("WORD $0x%08x // %s %v.S4, %v.S4, %v.S4", word, name, m, n, d)
}

// encodeLane is encode with one lane of m in place of all.
func (a *neon) encodeLane(name string, word uint32, m vector, lane int, n, d vector) {
	word |= uint32(lane&1)<<21 | uint32(lane>>1)<<11 | uint32(m)<<16 | uint32(n)<<5 | uint32(d)
	a.op("WORD $0x%08x // %s %v.S[%d], %v.S4, %v.S4", word, name, m, lane, n, d)
}

// fusedLane writes sum += x times a lane of factor, rounded once.
func (a *neon) fusedLane(factor vector, lane int, x, sum vector) {
	a.encodeLane("FMLA", 0x4f801000, factor, lane, x, sum)
}

func (a *neon) add(x, y vector) vector {
	sum := a.register()
	a.encode("FADD", fadd, y, x, sum)
	return sum
}

func (a *neon) subtract(x, y vector) vector {
	difference := a.register()
	a.encode("FSUB", fsub, y, x, difference)
	return difference
}

func (a *neon) scale(factor float32, x vector) vector {
	y := a.register()
	if factor == 1 {
		a.op("VMOV %v.B16, %v.B16", x, y)
	} else {
		m, lane := a.factor(factor)
		a.encodeLane("FMUL", 0x4f809000, m, lane, x, y)
	}
	return y
}

func (a *neon) addScaled(sum vector, factor float32, x vector) {
	switch factor {
	case 1:
		a.encode("FADD", fadd, x, sum, sum)
	case -1:
		a.encode("FSUB", fsub, x, sum, sum)
	default:
		m, lane := a.factor(factor)
		a.fusedLane(m, lane, x, sum)
	}
}

// factor returns the place of a constant.
func (a *neon) factor(x float32) (register vector, lane int) {
	i := slices.Index(a.factors, x)
	if i < 0 {
		i = len(a.factors)
		a.factors = append(a.factors, x)
	}
	return factorRegister(i / neonLanes), i % neonLanes
}

func (a *neon) zero(x vector) { a.op("VEOR %v.B16, %v.B16, %v.B16", x, x, x) }

// positive replaces what is below 0 by 0, which FMAX does not: it turns -0 into 0.
func (a *neon) positive(x vector) {
	a.encode("FCMLT $0,", 0x4ea0e800, 0, x, spare)
	a.encode("BIC", 0x4e601c00, spare, x, x)
}

// keepWhereAbove replaces x by 0 where y is not above 0.
func (a *neon) keepWhereAbove(y, x vector) {
	a.encode("FCMGT $0,", 0x4ea0c800, 0, y, spare)
	a.op("VAND %v.B16, %v.B16, %v.B16", spare, x, x)
}
