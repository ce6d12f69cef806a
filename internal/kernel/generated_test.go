package kernel_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tengen/internal/fulltest"
)

// TestAssemblyIsFresh generates the assembly again and compares it with the files that are there.
func TestAssemblyIsFresh(t *testing.T) {
	fulltest.Only(t) // compiles the generator
	if out, err := inGen("list", "-deps", "."); err != nil {
		t.Skipf("the generator's modules are not to be had: %v\n%s", err, out)
	}
	files := []string{"vectors_amd64.s", "vectors_amd64.go", "vectors_arm64.s", "vectors_arm64.go"}
	dir := t.TempDir()
	if out, err := inGen("run", ".", "-out", filepath.Join(dir, files[0]), "-stubs", filepath.Join(dir, files[1]), "-pkg", "kernel"); err != nil {
		t.Fatalf("generator: %v\n%s", err, out)
	}
	for _, file := range files {
		if !bytes.Equal(generated(t, file), generated(t, filepath.Join(dir, file))) {
			t.Errorf("%s is not what gen writes; run go generate ./internal/kernel", file)
		}
	}
}

// inGen runs the go command in the generator's module.
func inGen(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = "gen"
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOOS=", "GOARCH=")
	return cmd.CombinedOutput()
}

// generated returns a file without its first line, which holds the command that made it.
func generated(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	return rest
}

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
