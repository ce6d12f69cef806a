// Command gen-kernels writes the assembly of package kernel for
//
//	go generate ./internal/kernel
//
// Each function exists for AVX2 with FMA, for AVX-512,
// and for NEON, in vectors_arm64.s and vectors_arm64.go; the Go function with the suffix Go defines the results. The
// transforms exist for OpenCL too, in package gpu.
package main

import (
	"cmp"
	"flag"
	"log"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"tengen/internal/kernel/winograd"
)

func main() {
	ConstraintExpr("!noasm")
	for _, v := range []isa{{name: "AVX2", lanes: 8}, {name: "AVX512", lanes: 16}} {
		if v.lanes == 16 {
			v.gemm(8, 3)
			v.gemm(12, 2)
			v.gemm(12, 1)
		} else {
			v.gemm(6, 2)
		}
		writeOthers(v)
	}
	Generate()
	if err := cmp.Or(writeNEON(), writeOpenCL("../internal/gpu/transforms.cl")); err != nil {
		log.Fatal(err)
	}
}

// writeOthers writes the functions other than products.
func writeOthers(w interface {
	gather(name string, matrices [winograd.Outputs + 1]winograd.Matrix)
	scatter(name string, matrices [winograd.Outputs + 1]winograd.Matrix)
	planes(name string, m winograd.Matrix)
	reluGradient()
	peak()
	prefetch()
}) {
	w.gather("gatherInput", winograd.Input)
	w.gather("gatherGradient", winograd.Gradient)
	w.scatter("scatterOutput", winograd.Output)
	w.planes("filter", winograd.Filter)
	w.planes("filterGradient", winograd.FilterGradient)
	w.reluGradient()
	w.peak()
	w.prefetch()
}

// writeNEON writes the functions for arm64 next to those for amd64.
func writeNEON() error {
	a := &neon{}
	a.gemm(8)
	writeOthers(a)
	other := func(file string) string {
		return strings.Replace(flag.Lookup(file).Value.String(), "_amd64.", "_arm64.", 1)
	}
	return a.write(other("out"), other("stubs"))
}

// isa is an instruction set with lanes floats in a register.
type isa struct {
	name  string
	lanes int
	held  map[float32]VecVirtual // constants in registers
}

func (v isa) bytes() int { return 4 * v.lanes }

func (v isa) register() VecVirtual {
	if v.lanes == 16 {
		return ZMM()
	}
	return YMM()
}

func (v isa) loaded(from Mem) VecVirtual {
	x := v.register()
	VMOVUPS(from, x)
	return x
}

func (v isa) zero() VecVirtual {
	z := v.register()
	VXORPS(z, z, z)
	return z
}

// begin starts a function. signature lacks the word func.
func (v isa) begin(name, signature, doc string) {
	TEXT(name+v.name, 0, "func"+signature)
	Pragma("noescape")
	Doc(name + v.name + " " + doc)
}

func load(name string) GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

func end() {
	VZEROUPPER()
	RET()
}

func at(base, index Register, scale int) Mem {
	if scale == 0 {
		return Mem{Base: base}
	}
	return Mem{Base: base, Index: index, Scale: uint8(scale)}
}
