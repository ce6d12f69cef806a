package portable

import (
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tengen/internal/fulltest"
)

// irrelevant are the packages whose arithmetic reaches neither a model nor a move.
var irrelevant = regexp.MustCompile(`^(?:tengen/(?:eval|run|bench|doors|cmd)|github\.com/nats-io|runtime)\b`)

// TestNothingIsFused links the program for arm64, where the compiler may fuse any product and sum without an explicit
// conversion between them. One rounding instead of two would give other models and moves than on amd64. The test looks
// at tengen's functions and all that they call, in whichever module. It cannot follow calls through interfaces of other
// modules.
func TestNothingIsFused(t *testing.T) {
	fulltest.Only(t) // compiles all that tengen needs
	if out, err := goForARM("build", "math"); err != nil {
		t.Skipf("there is no compiler for arm64: %v\n%s", err, out)
	}
	// A cached result of this test depends on the directories that it reads.
	if err := filepath.WalkDir("../..", func(_ string, _ os.DirEntry, err error) error { return err }); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "tengen")
	if out, err := goForARM("build", "-trimpath", "-o", program, "tengen/cmd/tengen"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := readProgram(t, program)
	callers := map[string]string{} // one for each function
	var queue []*gosym.Func
	for i := range p.table.Funcs {
		if f := &p.table.Funcs[i]; strings.HasPrefix(f.Name, "tengen/") && !irrelevant.MatchString(f.Name) {
			callers[f.Name] = "tengen"
			queue = append(queue, f)
		}
	}
	if len(queue) < 1000 {
		t.Fatalf("the program has %d functions of tengen", len(queue))
	}
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		calls, fused := p.scan(f)
		for _, place := range fused {
			if !irrelevant.MatchString(place) { // a function of these packages may be inlined
				t.Errorf("%s fuses a product and a sum, in %s, which %s calls: convert the product to its own type",
					place, f.Name, callers[f.Name])
			}
		}
		for _, callee := range calls {
			if callers[callee.Name] == "" && !irrelevant.MatchString(callee.Name) {
				callers[callee.Name] = f.Name
				queue = append(queue, callee)
			}
		}
	}
	if _, fused := p.scan(p.table.LookupFunc("math.log")); len(fused) == 0 {
		t.Error("the test does not recognize fused operations: package math has some")
	}
}

// program is a linked one for arm64.
type program struct {
	start uint64
	code  []byte
	table *gosym.Table
}

func readProgram(t *testing.T, path string) *program {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, lines := f.Section(".text"), f.Section(".gopclntab")
	code, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	data, err := lines.Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		t.Fatal(err)
	}
	return &program{text.Addr, code, table}
}

// scan returns the functions that f calls directly, and the source lines of its fused operations.
func (p *program) scan(f *gosym.Func) (calls []*gosym.Func, fused []string) {
	for pc := f.Entry; pc < min(f.End, p.start+uint64(len(p.code))); pc += 4 {
		word := binary.LittleEndian.Uint32(p.code[pc-p.start:])
		switch {
		case word>>24 == 0x1f: // FMADD, FMSUB, FNMADD, FNMSUB
			file, line, _ := p.table.PCToLine(pc)
			fused = append(fused, fmt.Sprintf("%s:%d", file, line))
		case word>>26 == 0x25 || word>>26 == 0x05: // BL, B
			words := int64(int32(word<<6) >> 6)
			if callee := p.table.PCToFunc(pc + uint64(4*words)); callee != nil && callee != f {
				calls = append(calls, callee)
			}
		}
	}
	return calls, fused
}

func goForARM(args ...string) (output string, err error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
