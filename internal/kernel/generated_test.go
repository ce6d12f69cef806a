package kernel_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAVX2IsEnoughForAVX2 reads the assembly for registers and instructions that a processor with AVX2 and FMA alone
// does not have: one that has more would run them without complaint.
func TestAVX2IsEnoughForAVX2(t *testing.T) {
	text, err := os.ReadFile("vectors_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Fields("VADDPS VANDPS VBROADCASTSS VCMPPS VFMADD231PS VMAXPS VMOVAPS VMOVUPS VMULPS VSUBPS VXORPS VZEROUPPER")
	vector := regexp.MustCompile(`^V[A-Z0-9_.]+`)
	register := regexp.MustCompile(`\b(Z\d+|K[0-7]|[XY](1[6-9]|[23]\d))\b`)
	function, lines := "", 0
	for _, line := range strings.Split(string(text), "\n") {
		if name, ok := strings.CutPrefix(line, "TEXT ·"); ok {
			function, _, _ = strings.Cut(name, "(")
		}
		if !strings.HasSuffix(function, "AVX2") {
			continue
		}
		instruction := strings.TrimSpace(line)
		if v := vector.FindString(instruction); v != "" {
			lines++
			if !slices.Contains(known, v) {
				t.Errorf("%s: %s", function, instruction)
			}
		}
		if register.MatchString(instruction) {
			t.Errorf("%s: %s", function, instruction)
		}
	}
	if lines == 0 {
		t.Error("found no vector instruction")
	}
}
