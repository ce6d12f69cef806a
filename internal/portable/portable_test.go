package portable

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"
)

// functions have arguments from a sequence in (0, 1), and package math's counterparts.
var functions = []struct {
	name       string
	ours, math func(x float64) float64
}{
	{"Exp", func(x float64) float64 { return Exp(float64(1400*x) - 700) }, func(x float64) float64 { return math.Exp(float64(1400*x) - 700) }},
	{"Exp of small", func(x float64) float64 { return Exp(x - 0.5) }, func(x float64) float64 { return math.Exp(x - 0.5) }},
	{"Log", Log, math.Log},
	{"Log of large", func(x float64) float64 { return Log(1e9 * x) }, func(x float64) float64 { return math.Log(1e9 * x) }},
	{"Log1p", func(x float64) float64 { return Log1p(x * x * x) }, func(x float64) float64 { return math.Log1p(x * x * x) }},
	{"Pow", func(x float64) float64 { return Pow(x, 1.3) }, func(x float64) float64 { return math.Pow(x, 1.3) }},
	{"Pow of many", func(x float64) float64 { return Pow(0.999, math.Floor(1e5*x)) }, func(x float64) float64 { return math.Pow(0.999, math.Floor(1e5*x)) }},
	{"Tanh", func(x float64) float64 { return Tanh(float64(6*x) - 3) }, func(x float64) float64 { return math.Tanh(float64(6*x) - 3) }},
	{"Cos", func(x float64) float64 { return Cos(math.Pi * x) }, func(x float64) float64 { return math.Cos(math.Pi * x) }},
}

// sequence visits chaotic numbers in (0, 1), the same on every architecture.
func sequence(visit func(x float64)) {
	x := 0.5
	for range 20000 {
		x = float64(3.9 * x * (1 - x))
		visit(x)
	}
}

func TestNearPackageMath(t *testing.T) {
	for _, f := range functions {
		worst := 0.0
		sequence(func(x float64) {
			got, want := f.ours(x), f.math(x)
			worst = max(worst, math.Abs(got-want)/max(math.Abs(want), 0x1p-1000))
		})
		if limit := 0x1p-50; worst > limit && f.name != "Cos" || worst > 1e-11 {
			t.Errorf("%s has a relative error of %.3g", f.name, worst)
		}
	}
}

// TestBitsOnEveryArchitecture holds with and without fused operations.
func TestBitsOnEveryArchitecture(t *testing.T) {
	want := map[string]uint32{
		"Exp":          0x08fdc0dc,
		"Exp of small": 0x68934925,
		"Log":          0xdf81f21b,
		"Log of large": 0x6c973958,
		"Log1p":        0x6c2864d2,
		"Pow":          0x4ef043af,
		"Pow of many":  0xf1b09b03,
		"Tanh":         0x78ac5ec4,
		"Cos":          0x4c99994d,
	}
	for _, f := range functions {
		var bits []byte
		sequence(func(x float64) { bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(f.ours(x))) })
		if got := crc32.ChecksumIEEE(bits); got != want[f.name] {
			t.Errorf("%s: the checksum is 0x%08x, want 0x%08x", f.name, got, want[f.name])
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Exp(-Inf)", Exp(-inf), 0},
		{"Exp(-746)", Exp(-746), 0},
		{"Exp(0)", Exp(0), 1},
		{"Exp(710)", Exp(710), inf},
		{"Log(0)", Log(0), -inf},
		{"Log(1)", Log(1), 0},
		{"Log(Inf)", Log(inf), inf},
		{"Log1p(0)", Log1p(0), 0},
		{"Pow(0, 0)", Pow(0, 0), 1},
		{"Pow(0, 2)", Pow(0, 2), 0},
		{"Pow(0.5, Inf)", Pow(0.5, inf), 0},
		{"Pow(1, Inf)", Pow(1, inf), 1},
		{"Pow(2, Inf)", Pow(2, inf), inf},
		{"Pow(Inf, 0.75)", Pow(inf, 0.75), inf},
		{"Pow(0, 0.75)", Pow(0, 0.75), 0},
		{"Pow(3, 4)", Pow(3, 4), 81},
		{"Pow(0.5, 2000)", Pow(0.5, 2000), 0},
		{"Pow(4, 0.5)", Pow(4, 0.5), 2},
		{"Tanh(0)", Tanh(0), 0},
		{"Tanh(-50)", Tanh(-50), -1},
		{"Cos(0)", Cos(0), 1},
		{"Cos(Pi)", Cos(math.Pi), -1},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	for name, got := range map[string]float64{"Exp": Exp(math.NaN()), "Log": Log(-1), "Tanh": Tanh(math.NaN()),
		"Pow": Pow(math.NaN(), 2), "Pow to the NaN": Pow(2, math.NaN())} {
		if !math.IsNaN(got) {
			t.Errorf("%s = %v, want NaN", name, got)
		}
	}
}

// TestDrawsArePackageRands draws often enough to need each strip and each tail.
func TestDrawsArePackageRands(t *testing.T) {
	for _, d := range []struct {
		name         string
		ours, theirs func(rng *rand.Rand) float64
		want         uint32
	}{
		{"Normal", Normal, (*rand.Rand).NormFloat64, 0x453b97df},
		{"Exponential", Exponential, (*rand.Rand).ExpFloat64, 0x599672e4},
	} {
		our, their := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		var bits []byte
		for range 200000 {
			got, want := d.ours(our), d.theirs(their)
			if math.Abs(got-want) > 1e-14*math.Abs(want) {
				t.Fatalf("%s: %v, package rand draws %v", d.name, got, want)
			}
			bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(got))
		}
		if got := crc32.ChecksumIEEE(bits); got != d.want {
			t.Errorf("%s: the checksum is 0x%08x, want 0x%08x", d.name, got, d.want)
		}
	}
}
